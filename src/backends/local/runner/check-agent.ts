import { shownChecks, type ShownChecks } from '../../../domain/review/shown-checks.ts';
import { checkMayRun, chosenChecks } from '../../../runner/checks/checks-request.ts';
import type { AgentRecord, CheckAgentRequest } from '../../backend.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import { followChecks } from '../../hosting/follow-checks.ts';
import { localChecker } from '../checks/local-checker.ts';

/** The checks of an agent as they are known; wakes nobody. */
export async function showAgentChecks(
  { home, store }: LocalContext,
  { plan, launch }: Origin,
  { state }: Pick<AgentRecord, 'state'>,
): Promise<ShownChecks> {
  const all = chosenChecks(launch, undefined);
  const checker = localChecker({ home, store, plan, launch });
  const running = state.checks?.state === 'running';
  const commit = running ? state.checks.commit : null;
  const shown = commit ?? (await checker.commit());
  return shownChecks(shown, all, { results: await checker.known(shown, all), running });
}

export interface Checked {
  readonly row: AgentRow;
  readonly origin: Origin;
  readonly request: CheckAgentRequest;
}

/** Has the agent's runner run its checks, and waits for them for a minute. They go on when nobody waits any more. */
export async function checkLocalAgent(
  context: LocalContext,
  { row, origin, request }: Checked,
): Promise<ShownChecks> {
  const { launch, plan } = origin;
  const { run_id, names, again, by } = request;
  const chosen = chosenChecks(launch, names);
  if (request.for_agent) checkMayRun(launch);
  const runner = new LocalRunnerClient(context, row);
  const { commit, running } = await followChecks(
    (within_ms) => runner.check({ run_id, names, again, within_ms, by }),
    request,
  );
  const { home, store } = context;
  const results =
    commit === null ? [] : await localChecker({ home, store, plan, launch }).known(commit, chosen);
  return shownChecks(commit, chosen, { results, running });
}
