import { mayRunCommands } from '../../../domain/may-run-commands.ts';
import { shownChecks, type ShownChecks } from '../../../domain/review/shown-checks.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { chosenChecks } from '../../../runner/checks/checks-request.ts';
import type { AgentRecord, CheckAgentRequest } from '../../backend.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import { localChecker } from '../checks/local-checker.ts';

const ANSWER_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 1_000;

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
  const { run_id, names, again, by, signal, progress } = request;
  const chosen = chosenChecks(launch, names);
  if (request.for_agent && !mayRunCommands(launch)) throw onlyOperator(row.name);
  const runner = new LocalRunnerClient(context, row);
  const until = performance.now() + ANSWER_WITHIN_MS;
  let said = '';
  for (;;) {
    const left = Math.max(1, Math.min(ASK_EVERY_MS, Math.round(until - performance.now())));
    const answer = await runner.check({ run_id, names, again, within_ms: left, by });
    const isOver = !answer.running || signal.aborted || performance.now() >= until;
    if (answer.running && answer.message !== said) progress(answer.message);
    said = answer.message;
    if (!isOver) continue;
    const { commit, running } = answer;
    const { home, store } = context;
    const results =
      commit === null ? [] : await localChecker({ home, store, plan, launch }).known(commit, chosen);
    return shownChecks(commit, chosen, { results, running });
  }
}

function onlyOperator(name: string): FleetError {
  return new FleetError(
    'FORBIDDEN',
    `The agent "${name}" may not run commands without asking, so that only a person can run its checks: fleet check ${name}`,
    { reason: 'only_operator' },
  );
}
