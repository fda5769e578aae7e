import { join } from 'node:path';
import type { AgentListView, AgentView } from '../../../src/domain/agent.ts';
import { FleetError } from '../../../src/domain/values/errors.ts';
import type { Caller } from '../../../src/domain/principal.ts';
import type { Fleet } from '../../../src/fleet/fleet.ts';
import { invoke } from '../../../src/operations/invoke.ts';
import { findOperation } from '../../../src/operations/table.ts';

export const HUMAN: Caller = {
  principal: { kind: 'user', name: 'tester' },
  door: 'cli',
  source: 'human',
  scopes: new Set(['read', 'operate', 'approve']),
};

export const AI: Caller = {
  principal: { kind: 'mcp', name: 'stdio' },
  door: 'mcp-stdio',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
};

export type Answer = Record<string, unknown>;

/** How a suite asks a fleet for an operation, through whichever interface. Failures are FleetErrors. */
export type Ask = (operation: string, input?: Answer) => Promise<Answer>;

/** A fleet in a directory of its own, with the projects Setup and DataOne and the role `scripted` as their default. */
export interface FleetUnderTest extends AsyncDisposable {
  readonly fleet: Fleet;
  /** For files that steps write and hold for. */
  readonly directory: string;
}

/** Asks through the operations table itself. */
export function askAs(fleet: Fleet, caller: Caller = HUMAN): Ask {
  return async (name, input = {}) => {
    const operation = findOperation(name);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    // As over a wire: nothing but JSON crosses.
    return JSON.parse(JSON.stringify(await invoke(operation, input, { fleet, caller }))) as Answer;
  };
}

export async function agentOf(ask: Ask, name: string): Promise<AgentView> {
  return (await ask('show_agent', { agent_name: name }))['agent'] as AgentView;
}

export async function agentsOf(ask: Ask, filter: Answer = {}): Promise<AgentListView[]> {
  return (await ask('list_agents', filter))['agents'] as AgentListView[];
}

export async function waitIdle(ask: Ask, ...names: string[]): Promise<AgentListView[]> {
  const answer = await ask('wait_for_agents', {
    timeout_seconds: 50,
    ...(names.length === 0 ? {} : { agent_names: names.join(',') }),
  });
  if (answer['timed_out'] === true) throw new Error(`not idle in time: ${JSON.stringify(answer['agents'])}`);
  return answer['agents'] as AgentListView[];
}

/** Creates an agent and waits until its first task is done. A test that is tried again finds the agent of its first try in
 *  the way: that one is deleted. */
export async function idleAgent(ask: Ask, name: string, input: Answer = {}): Promise<AgentView> {
  const agent = { project: 'Setup', task: 'get ready', name, ...input };
  try {
    await ask('create_agent', agent);
  } catch (thrown) {
    if (!(thrown instanceof FleetError && thrown.details['reason'] === 'name_taken')) throw thrown;
    await ask('delete_agent', { agent_name: name, discard_work: true });
    await ask('create_agent', agent);
  }
  await waitIdle(ask, name);
  return agentOf(ask, name);
}

/** As `idleAgent`, with a check of its spec that has passed. */
export async function checkedAgent(ask: Ask, name: string, input: Answer = {}): Promise<AgentView> {
  await idleAgent(ask, name, { spec: 'checks: ["true"]', ...input });
  return until(
    () => agentOf(ask, name),
    ({ checks }) => checks?.state === 'passing',
  );
}

/** Waits until a status is seen; the cap is wide and only there so that a failure ends. */
export async function until<Value>(
  look: () => Promise<Value>,
  holds: (value: Value) => boolean,
  limit_ms = 45_000,
): Promise<Value> {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`never held; last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The error that a promise fails with. */
export async function failure(promise: Promise<unknown>): Promise<FleetError> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof FleetError) return thrown;
    throw thrown;
  }
  throw new Error('it succeeded');
}

export async function history(ask: Ask, name: string): Promise<Answer[]> {
  return (await ask('show_agent_task_history', { agent_name: name, page_size: 100 }))['tasks'] as Answer[];
}

export async function logOf(ask: Ask, name: string): Promise<Answer[]> {
  return (await ask('show_agent_log', { agent_name: name, page_size: 100 }))['logs'] as Answer[];
}

export function signalFile(fleet: FleetUnderTest, name: string): string {
  return join(fleet.directory, name);
}
