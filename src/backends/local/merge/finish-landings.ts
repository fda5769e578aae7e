import { isLiveProcess } from '../../../platform/processes/process-identity.ts';
import type { LandingIntent, LandingStore, StoredLanding } from '../../../store/landing-store.ts';
import { git } from '../../git/git.ts';
import { namedPaths } from '../../../domain/merge/landing.ts';
import { takeTurnNow } from './landing-turn.ts';
import { rollBackCheckout } from './roll-back-checkout.ts';

/** Finishes or rolls back the landings whose process died, in every repository where no landing has its turn: that one
 *  does it itself. */
export async function finishDeadLandings(home: string, landings: LandingStore): Promise<void> {
  for (const lender of new Set(
    landings
      .unfinished()
      .filter(isAbandoned)
      .map((each) => each.lender),
  )) {
    using turn = takeTurnNow(home, lender);
    if (turn !== undefined) await finishLandings(landings, lender);
  }
}

/** The same for one repository. The caller has the turn in it. */
export async function finishLandings(landings: LandingStore, lender: string): Promise<void> {
  for (const landing of landings.unfinished())
    if (landing.lender === lender && isAbandoned(landing)) await finish(landings, landing);
}

function isAbandoned({ process }: StoredLanding): boolean {
  return !isLiveProcess(process);
}

/** After a move that failed: git may have changed some files of the checkout, as when the disk is full. */
export async function putBack({ lender, intent, into }: StoredLanding): Promise<void> {
  if (intent === null || into === null) return;
  const { stdout } = await git(lender, ['rev-parse', '--verify', '--quiet', `refs/heads/${into}`]);
  if (stdout.trim() === intent.from) await rollBackCheckout(lender, intent);
}

/** Only what moved a branch can have left something behind. */
async function finish(landings: LandingStore, landing: StoredLanding): Promise<void> {
  const { land_id, intent, lender, into, agent_name } = landing;
  if (intent === null || into === null)
    return give(landings, landing, 'it was interrupted; nothing was changed');
  const { ok, stdout } = await git(lender, ['rev-parse', '--verify', '--quiet', `refs/heads/${into}`]);
  const at = stdout.trim();
  const arrived = ok && (at === intent.to || (at !== intent.from && (await isPart(lender, intent.to, at))));
  if (arrived) {
    landings.change(land_id, {
      state: intent.undo ? 'undone' : 'landed',
      intent: null,
      process: null,
      message: intent.undo
        ? `The landing of agent '${agent_name}' on ${into} was undone.`
        : `Agent '${agent_name}' landed on ${into}.`,
    });
  } else await rollBack(landings, landing, intent);
  await git(lender, ['update-ref', '-d', `refs/fleet/landings/${land_id}`]);
}

async function rollBack(
  landings: LandingStore,
  landing: StoredLanding,
  intent: LandingIntent,
): Promise<void> {
  const changed = intent.checkout === null ? [] : await rollBackCheckout(landing.lender, intent);
  // Another git is in the middle of something there: the next process that looks tries again.
  if (changed === 'in use') return;
  give(
    landings,
    landing,
    changed.length === 0
      ? 'it was interrupted; nothing was changed'
      : `it was interrupted in ${intent.checkout ?? ''}, where ${namedPaths(changed)} has changed since: compare it with git diff HEAD`,
  );
}

function give(landings: LandingStore, { land_id, intent, agent_name }: StoredLanding, why: string): void {
  const message = `The landing of agent '${agent_name}' did not finish: ${why}.`;
  landings.change(land_id, {
    state: intent?.undo === true ? 'landed' : 'failed',
    intent: null,
    process: null,
    message,
    error: { error: { code: 'SERVICE_UNAVAILABLE', message, details: { reason: 'interrupted' } } },
  });
}

async function isPart(lender: string, one: string, other: string): Promise<boolean> {
  return (await git(lender, ['merge-base', '--is-ancestor', one, other])).ok;
}
