import { setTimeout as delay } from 'node:timers/promises';
import { AgentRows } from '../../src/backends/local/records/agent-rows.ts';
import type { AgentListView } from '../../src/domain/agent.ts';
import { EMPTY_STATE, fold } from '../../src/domain/state.ts';
import { deriveStatus } from '../../src/domain/status.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/backends/local/records/open-store.ts';
import { agentOf, agentsOf } from '../support/fleets/fleet-under-test.ts';
import { processesNaming } from '../support/fleets/local-fleet.ts';
import { journalsOf } from './journals.ts';
import type { Stage } from './stage.ts';

const MAX_WAIT_MS = 5_000;
const AT_WORK = new Set(['busy', 'starting', 'stopping', 'canceling']);

/** Looks at the fleet as anybody would: what it says must be true. Where processes still work, it may change between two
 *  looks, and is looked at again; where none does, the first look counts. */
export async function lookProblems(stage: Stage): Promise<string[]> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const alive = processesNaming(stage.directory).length > 0;
    const problems = await lookOnce(stage, alive);
    if (problems.length === 0 || !alive || performance.now() > until) return problems;
    await delay(25);
  }
}

async function lookOnce(stage: Stage, alive: boolean): Promise<string[]> {
  const listed = await agentsOf(stage.ask);
  const names = listed.map(({ name }) => name);
  const problems = names.length === new Set(names).size ? [] : ['a name is listed twice'];
  for (const agent of listed) problems.push(...(await agentProblems(stage, agent, alive)));
  return problems;
}

async function agentProblems(stage: Stage, agent: AgentListView, alive: boolean): Promise<string[]> {
  const { name, status } = agent;
  const shown = await agentOf(stage.ask, name).catch(() => undefined);
  const truth = truthOf(stage, agent);
  return [
    ...(status === truth ? [] : [`the list says ${status} of ${name}, which is ${truth}`]),
    ...(shown?.status === truth
      ? []
      : [`show says ${shown?.status ?? 'nothing'} of ${name}, which is ${truth}`]),
    ...(AT_WORK.has(status) && !alive ? [`${name} is ${status}, and nobody works on it`] : []),
  ];
}

/** What the facts say, unless the agent is being deleted. */
function truthOf({ home }: Stage, { name, workspace_id }: AgentListView): string {
  using store = openStore(home);
  const row = new AgentRows(store).byName(name);
  if (row === undefined) return 'gone';
  if (row.tombstone !== null) return 'deleting';
  const facts = journalsOf(home).find((journal) => journal.workspace_id === workspace_id)?.facts ?? [];
  return deriveStatus(facts.reduce(fold, EMPTY_STATE), {}, systemClock.now()).status;
}
