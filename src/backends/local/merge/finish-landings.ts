import { isLiveProcess } from '../../../platform/processes/process-identity.ts';
import type { LandingIntent, LandingStore, StoredLanding } from '../../../store/landing-store.ts';
import { git } from '../../git/git.ts';
import { namedPaths } from '../../../domain/merge/landing.ts';
import { fleetRepositoryPath } from '../repository/fleet-repository.ts';
import { isPart } from '../../git/commits.ts';
import { letGo } from '../repository/held-commit.ts';
import { takeTurnNow } from './landing-turn.ts';
import { noteUndone } from './note-undone.ts';
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
    if (turn !== undefined) await finishLandings({ home, landings }, lender);
  }
}

/** The same for one repository. The caller has the turn in it. */
export async function finishLandings(
  { home, landings }: { readonly home: string; readonly landings: LandingStore },
  lender: string,
): Promise<void> {
  for (const landing of landings.unfinished())
    if (landing.lender === lender && isAbandoned(landing))
      await finish(landings, landing, fleetRepositoryPath(home, lender));
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

/** Only what moved a branch can have left files behind. */
async function finish(landings: LandingStore, landing: StoredLanding, fleet: string): Promise<void> {
  const { land_id, intent, lender, into, agent_name } = landing;
  const arrived = intent !== null && into !== null && (await hasArrived(lender, into, intent));
  const changed = intent === null || arrived ? [] : await rollBackCheckout(lender, intent);
  // Another git is in the middle of something there: the next process that looks tries again.
  if (changed === 'in use') return;
  await letGo(fleet, lender, land_id);
  if (!arrived) give(landings, landing, changed);
  else if (intent.undo) noteUndone(landings, landing, intent);
  else landings.land(land_id, `Agent '${agent_name}' landed on ${into}.`);
}

async function hasArrived(lender: string, into: string, { from, to }: LandingIntent): Promise<boolean> {
  const { ok, stdout } = await git(lender, ['rev-parse', '--verify', '--quiet', `refs/heads/${into}`]);
  const at = stdout.trim();
  return ok && (at === to || (at !== from && (await isPart(lender, to, at))));
}

function give(
  landings: LandingStore,
  { land_id, intent, agent_name }: StoredLanding,
  changed: readonly string[],
): void {
  const why =
    changed.length === 0
      ? 'it was interrupted; nothing was changed'
      : `it was interrupted in ${intent?.checkout ?? ''}, where ${namedPaths(changed)} has changed since: compare it with git diff HEAD`;
  const message = `The landing of agent '${agent_name}' did not finish: ${why}.`;
  landings.change(land_id, {
    state: intent?.undo === true ? 'landed' : 'failed',
    intent: null,
    process: null,
    message,
    error: { error: { code: 'SERVICE_UNAVAILABLE', message, details: { reason: 'interrupted' } } },
  });
}
