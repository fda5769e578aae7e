import { failedNames } from '../../../domain/review/checks.ts';
import { isWorking } from '../../../domain/merge/is-working.ts';
import { landConflict } from '../../../domain/merge/landing.ts';
import type { AgentState } from '../../../domain/state.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { LandingStore, type StoredLanding } from '../../../store/landing-store.ts';
import { followLanding } from '../background/follow-landing.ts';
import { runChecks } from '../checks/run-checks.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { countAgain } from '../background/count-again.ts';
import { found, land } from './land.ts';

/** The state of an agent as it is now. */
export type StateOf = (row: AgentRow) => Promise<AgentState>;

interface Waiting {
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** Lands agents one after the other, each on top of the one before. One that fails is left out. */
export async function landAll(
  context: LocalContext,
  ids: readonly string[],
  waiting: Waiting & { readonly stateOf: StateOf },
): Promise<void> {
  const landings = new LandingStore(context.store);
  for (const land_id of ids) {
    const landing = found(landings, land_id);
    if (landing.state !== 'running') continue;
    landings.change(land_id, { process: identify(process.pid) ?? null });
    // It is stored with its reason.
    await landOne(context, landing, waiting).catch(() => {});
    await countAgain(context, landing.workspace_id);
    await followLanding(context, land_id);
  }
}

async function landOne(
  context: LocalContext,
  landing: StoredLanding,
  waiting: Waiting & { readonly stateOf: StateOf },
): Promise<void> {
  const { home, rows, store } = context;
  const { workspace_id, land_id, agent_name } = landing;
  const landings = new LandingStore(store);
  const [row, origin] = [rows.byId(workspace_id), rows.origin(workspace_id)];
  if (row === undefined || origin === undefined) {
    const error = new FleetError('NOT_FOUND', `The agent "${agent_name}" no longer exists.`);
    landings.change(land_id, {
      state: 'failed',
      process: null,
      message: error.message,
      error: error.toBody(),
    });
    return;
  }
  const state = await waiting.stateOf(row);
  const { plan, launch } = origin;
  await land(land_id, {
    landings,
    work: { home, paths: agentPaths(home, workspace_id), plan, launch },
    busy: isWorking(state),
    signal: waiting.signal,
    progress: (message) => {
      landings.change(land_id, { message });
      waiting.progress(message);
    },
    check: (_, commit) => check(context, origin, { commit, landing, waiting }),
  });
}

async function check(
  { home, store }: LocalContext,
  { plan, launch }: Origin,
  { commit, landing, waiting }: { commit: string; landing: StoredLanding; waiting: Waiting },
): Promise<void> {
  const { checks } = launch;
  if (checks === undefined || checks.all.length === 0) return;
  const results = await runChecks({
    home,
    store,
    project: launch.project,
    plan,
    clone: await clonePlanOf(plan, launch.name),
    env: checks.env,
    ...(launch.hide === undefined ? {} : { hide: launch.hide }),
    revision: commit,
    checks: checks.all,
    signal: waiting.signal,
    progress: (message) => waiting.progress(message),
  });
  const failed = failedNames(results);
  if (failed.length === 0) return;
  const outputs = results
    .filter(({ name }) => failed.includes(name))
    .map(({ name, output }) => ({ name, output }));
  throw landConflict(
    'checks_failed',
    `Merged with the work of agent "${landing.agent_name}", ${failed.length === 1 ? 'the check' : 'the checks'} ${failed.join(', ')} failed. Nothing was landed.`,
    { checks: failed, outputs },
  );
}
