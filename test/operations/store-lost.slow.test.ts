import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import type { AgentListView, AgentView } from '../../src/domain/agent.ts';
import { deriveStatus } from '../../src/domain/status.ts';
import { EMPTY_STATE, fold } from '../../src/domain/state.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { callFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { withoutAsOf } from '../support/without-as-of.ts';
import { heldTask, queueTask, type HeldTask } from './held-task.ts';

let held: HeldTask;
const NAMES = ['asleep', 'busy', 'failing', 'idle', 'stopped'];

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Sleepy'] = { ...config.projects['Setup'], sleep_after: '200ms' };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  await Promise.all([
    idleAgent(ask, 'idle'),
    idleAgent(ask, 'asleep', { project: 'Sleepy' }),
    idleAgent(ask, 'failing', { task: script({ exit: 1 }) }),
    idleAgent(ask, 'stopped'),
    idleAgent(ask, 'busy'),
  ]);
  held = await heldTask(ask, { directory: fleet.directory, agent_name: 'busy' });
  await queueTask(ask, 'busy', 'the next one');
  await ask('stop_agent', { agent_name: 'stopped' });
  await ask('set_agent_metadata', {
    agent_name: 'idle',
    key: 'fleet_mcp_ticket',
    value: 'A-1',
  });
  await until(
    () => agentOf(ask, 'asleep'),
    ({ status_reason }) => status_reason.startsWith('asleep'),
  );
  await until(
    () => agentsOf(ask),
    (agents) => agents.every(({ git }) => git !== null),
  );
});

describe('what agents are', () => {
  it('is in their journals: the facts alone add up to what is shown', async ({ fleet, ask }) => {
    for (const name of NAMES) {
      const shown = await agentOf(ask, name);
      using journal = JournalReader.open(journalOf(fleet, shown));
      if (journal === undefined) throw new Error(`${name} has no journal`);
      const state = journal.facts().reduce(fold, EMPTY_STATE);
      const progress = journal.progress();
      const view = deriveStatus(state, progress === undefined ? {} : { progress }, systemClock.now());
      const { status, status_reason, current_task, needs_attention, stuck, busy_since } = view;
      expect(shown).toMatchObject({
        status,
        status_reason,
        current_task,
        needs_attention,
        stuck,
        busy_since,
      });
      expect(shown).toMatchObject({ queue_length: state.queue.length, last_task: state.last_task });
    }
    expect((await agentsOf(ask)).map(({ status }) => status)).toEqual([
      'idle',
      'busy',
      'idle',
      'idle',
      'stopped',
    ]);
  });

  it('is still there when the summaries of the store are gone', async ({ fleet, ask }) => {
    const [shown, listed] = await everything(ask);
    const store = new DatabaseSync(join(fleet.home, 'store.db'));
    expect(store.prepare('DELETE FROM summaries').run().changes).toBe(NAMES.length);
    store.close();
    expect(await everything(ask)).toEqual([shown, listed]);
  });

  it('is still there, with history and log, when a new process finds no store at all', async ({
    fleet,
    ask,
  }) => {
    const [shown, listed] = await everything(ask);
    const histories = await Promise.all(NAMES.map((name) => history(ask, name)));
    const logs = await Promise.all(NAMES.map((name) => logOf(ask, name)));
    for (const end of ['', '-wal', '-shm']) rmSync(join(fleet.home, `store.db${end}`), { force: true });
    const { agents } = (await callFleet('list_agents', {}, fleet.env)) as Answer & {
      agents: AgentListView[];
    };
    expect(withoutAsOf(agents)).toEqual(listed);
    const reopened = openFleet({ env: fleet.env, cwd: fleet.directory });
    await using _ = reopened;
    ask = askAs(reopened.fleet);
    expect(await everything(ask)).toEqual([shown, listed]);
    expect(await Promise.all(NAMES.map((name) => history(ask, name)))).toEqual(histories);
    expect(await Promise.all(NAMES.map((name) => logOf(ask, name)))).toEqual(logs);
    await ask('restart_agent', { agent_name: 'stopped' });
    await ask('start_agent_task', { agent_name: 'asleep', task_description: 'wake up' });
    await waitIdle(ask, 'stopped', 'asleep');
    expect((await history(ask, 'asleep'))[0]).toMatchObject({ message: 'wake up', state: 'complete' });
  });

  it('goes on being told by a runner that lived through the loss of the store', async ({ fleet, ask }) => {
    const reopened = openFleet({ env: fleet.env, cwd: fleet.directory });
    await using _ = reopened;
    ask = askAs(reopened.fleet);
    held.release();
    const { timed_out } = await ask('wait_for_agents', { agent_names: 'busy', timeout_seconds: 5 });
    expect(timed_out).toBe(false);
    expect((await history(ask, 'busy'))[0]).toMatchObject({ message: 'the next one', state: 'complete' });
  });

  it('take a task by a runner that lived through the loss of the store', async ({ fleet, ask }) => {
    const reopened = openFleet({ env: fleet.env, cwd: fleet.directory });
    await using _ = reopened;
    ask = askAs(reopened.fleet);
    await ask('start_agent_task', { agent_name: 'idle', task_description: 'still there?' });
    const [row] = await until(
      () => history(ask, 'idle'),
      ([newest]) => newest?.['state'] !== 'running' && newest?.['state'] !== 'queued',
    );
    expect(row).toMatchObject({ message: 'still there?', state: 'complete' });
  });
});

async function everything(ask: Ask): Promise<[AgentView[], AgentListView[]]> {
  return withoutAsOf([await Promise.all(NAMES.map((name) => agentOf(ask, name))), await agentsOf(ask)]);
}

function journalOf(fleet: LocalFleet, { workspace_id }: AgentView): string {
  return join(fleet.home, 'agents', workspace_id, 'journal.db');
}
