import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { EMPTY_STATE, fold } from '../../src/domain/state.ts';
import { deriveStatus } from '../../src/domain/status.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { isAlive, signalProcess } from '../../src/platform/processes/process-identity.ts';
import { signalRun } from '../../src/platform/processes/process-tree.ts';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { processesOf, rowOf } from './on-this-machine.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Broken'] = { ...config.projects['Setup'], setup: 'exit 3' };
  }),
);
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'victim');
});

const file = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);

/** Gives an agent a task that holds, with a child that has left it, and waits until it runs. */
async function keepBusy(fleet: LocalFleet, ask: Ask, agent_name: string): Promise<unknown> {
  const begun = file(fleet, `begun-${crypto.randomUUID()}`);
  const task_description = script({ orphan: 600 }, { write: begun }, { hold: file(fleet, 'never') });
  const { task } = await ask('start_agent_task', { agent_name, task_description });
  await until(async () => existsSync(begun), Boolean);
  return (task as Answer)['id'];
}

async function killRunner(fleet: LocalFleet, name: string): Promise<void> {
  const { runner } = rowOf(fleet, name);
  if (runner === null) throw new Error(`agent ${name} has no runner`);
  signalProcess(runner, 'SIGKILL');
  await until(
    async () => isAlive(runner),
    (alive) => !alive,
  );
}

describe('when the processes of an agent die', () => {
  it('the next look shows the truth [EDGE-02]', async ({ fleet, ask }) => {
    const { workspace_id } = await agentOf(ask, 'victim');
    const looks: (() => Promise<{ status: string; status_reason: string; needs_attention: boolean }>)[] = [
      () => agentOf(ask, 'victim'),
      async () => (await agentsOf(ask)).find(({ name }) => name === 'victim') as never,
    ];
    for (const look of looks) {
      const id = await keepBusy(fleet, ask, 'victim');
      expect((await look()).status).toBe('busy');
      await killRunner(fleet, 'victim');
      const seen = await look();
      expect(seen).toMatchObject({ status: 'idle', current_task: null, needs_attention: true });
      expect(seen.status_reason).toMatch(/died/);
      expect((await history(ask, 'victim'))[0]).toMatchObject({ id, state: 'interrupted' });
      expect(processesOf(workspace_id)).toEqual([]);
    }
    const id = await keepBusy(fleet, ask, 'victim');
    signalRun(workspace_id, 'SIGKILL');
    await waitIdle(ask, 'victim');
    const alone = await agentOf(ask, 'victim');
    expect(alone).toMatchObject({ status: 'idle', current_task: null, needs_attention: true });
    expect(alone.status_reason).toMatch(/killed|exit code/);
    expect((await history(ask, 'victim'))[0]).toMatchObject({ id, state: 'failed' });
  });

  it('every task that was accepted stays in the history [FR-014]', async ({ fleet, ask }) => {
    const agent_name = 'victim';
    const accepted = (await history(ask, agent_name)).map((row) => row['id']).toReversed();
    const queue = async (text: string): Promise<void> => {
      const { task } = await ask('start_agent_task', {
        agent_name,
        task_description: text,
        when_busy: 'queue',
      });
      accepted.push((task as Answer)['id']);
    };
    const ids = async (): Promise<unknown[]> =>
      (await history(ask, agent_name)).map((row) => row['id']).toReversed();
    const ends = {
      stop: () => ask('stop_agent', { agent_name }),
      restart: () => ask('restart_agent', { agent_name }),
      crash: () => killRunner(fleet, agent_name),
    };
    for (const [how, end] of Object.entries(ends)) {
      accepted.push(await keepBusy(fleet, ask, agent_name));
      await queue(`waits for ${how}`);
      await end();
      expect(await ids()).toEqual(accepted);
      if (how !== 'restart') await ask('restart_agent', { agent_name });
      await waitIdle(ask, agent_name);
      expect(await ids()).toEqual(accepted);
      expect((await history(ask, agent_name)).slice(0, 2)).toMatchObject([
        { message: `waits for ${how}`, state: 'complete' },
        { state: 'interrupted' },
      ]);
    }
  });

  it('the journal alone gives every status [AGENT-status-derived]', async ({ fleet, ask }) => {
    await ask('create_agent', { project: 'Broken', task: 'x', name: 'broken' });
    await Promise.all([idleAgent(ask, 'stopped'), idleAgent(ask, 'busy'), waitIdle(ask, 'broken')]);
    await ask('stop_agent', { agent_name: 'stopped' });
    await keepBusy(fleet, ask, 'busy');
    await until(
      () => agentOf(ask, 'stopped'),
      ({ status }) => status === 'stopped',
    );
    const expected = { victim: 'idle', stopped: 'stopped', busy: 'busy', broken: 'failed' };
    forgetSummaries(fleet);
    for (const [name, status] of Object.entries(expected)) {
      const { workspace_id, status_reason } = await agentOf(ask, name);
      using journal = JournalReader.open(agentPaths(fleet.home, workspace_id).journal);
      const state = (journal?.facts() ?? []).reduce(fold, EMPTY_STATE);
      const now = systemClock.now();
      const derived = deriveStatus(state, {}, now);
      expect(derived).toMatchObject({ status, status_reason });
      expect(deriveStatus(state, {}, now)).toEqual(derived);
      expect((await agentOf(ask, name)).status).toBe(status);
      expect(columnsOf(agentPaths(fleet.home, workspace_id).journal)).not.toContain('status');
      expect(Object.keys(journal?.state() ?? {})).not.toContain('status');
    }
    const listed = await agentsOf(ask);
    expect(Object.fromEntries(listed.map(({ name, status }) => [name, status]))).toEqual(expected);
    expect(columnsOf(join(fleet.home, 'store.db'))).not.toContain('status');
    writeFileSync(file(fleet, 'never'), '');
    await waitIdle(ask, 'busy');
  });
});

/** What lists are made from: it can be lost. */
function forgetSummaries(fleet: LocalFleet): void {
  const database = new DatabaseSync(join(fleet.home, 'store.db'), { timeout: 10_000 });
  database.exec('DELETE FROM summaries');
  database.close();
}

function columnsOf(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const columns = database
    // What forges and Coder servers said has a status of its own.
    .prepare(
      `SELECT c.name AS name FROM sqlite_master t, pragma_table_info(t.name) c
       WHERE t.name NOT IN ('pull_requests', 'coder_agents')`,
    )
    .all();
  database.close();
  expect(columns.length).toBeGreaterThan(5);
  return columns.map((row) => row['name']);
}
