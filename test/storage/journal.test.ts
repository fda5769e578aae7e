import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { heldTask, queueTask } from '../operations/held-task.ts';
import { processesOf } from '../operations/processes-of.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { DAMAGES, removeAll, settleLog, spoilTable } from './damage.ts';

/** Gets a line each time that a first task runs. */
let first: string;

const LOST: Record<string, (file: string) => void> = {
  ...DAMAGES,
  'is gone': removeAll,
  'has a damaged page of facts': (file) => spoilTable(file, 'facts'),
  'has a damaged page of history': (file) => spoilTable(file, 'history'),
};
const NAMES = Object.keys(LOST).map((_, index) => `lost-${index}`);

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Sleepy'] = { ...config.projects['Setup'], sleep_after: '100ms' };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  const project = 'Sleepy';
  first = join(fleet.directory, 'first');
  const task = script({ append: first }, { write: 'work.txt' });
  await Promise.all([
    idleAgent(ask, 'well'),
    ...NAMES.map((name) => idleAgent(ask, name, { project, task, spec: 'the spec' })),
  ]);
  await asleep(fleet, ask);
});

describe.each(
  Object.entries(LOST).map(([name, spoil], index) => ({ name, spoil, agent: NAMES[index] ?? '' })),
)('a journal that $name', ({ spoil, agent }) => {
  let file: string;

  it('fails what needs it, by its reason and with what to do', async ({ fleet, ask }) => {
    file = journalOf(fleet, await workspaceOf(ask, agent));
    spoil(file);
    for (const [operation, input] of [
      ['start_agent_task', { task_description: 'more' }],
      ['set_agent_metadata', { key: 'fleet_mcp_x', value: 'y' }],
      ['stop_agent', {}],
    ] as const) {
      const { code, message, details } = await failure(ask(operation, { agent_name: agent, ...input }));
      expect({ operation, code, ...details }).toEqual({
        operation,
        code: 'SERVICE_UNAVAILABLE',
        reason: 'journal_corrupt',
        file,
      });
      expect(message).toContain('restart_agent');
    }
  });

  it('makes its agent failed, where it is listed and where it is shown, and no other', async ({ ask }) => {
    const failed = { status: 'failed', needs_attention: true, status_reason: expect.stringContaining(file) };
    expect(await agentOf(ask, agent)).toMatchObject({ ...failed, spec: 'the spec' });
    const listed = await agentsOf(ask);
    expect(listed.find(({ name }) => name === agent)).toMatchObject(failed);
    expect(listed.find(({ name }) => name === 'well')).toMatchObject({ status: 'idle' });
  });
});

describe('damaged journals', () => {
  it('are kept and recreated by a restart, and the first task is not run again', async ({ fleet, ask }) => {
    await Promise.all(NAMES.map((agent_name) => ask('restart_agent', { agent_name })));
    await waitIdle(ask, ...NAMES);
    await Promise.all(
      NAMES.map((agent_name) => ask('start_agent_task', { agent_name, task_description: 'after it' })),
    );
    await waitIdle(ask, ...NAMES);
    expect(readFileSync(first, 'utf8').trim().split('\n')).toHaveLength(NAMES.length);
    for (const agent of NAMES) {
      expect(await agentOf(ask, agent)).toMatchObject({ status: 'idle', spec: 'the spec' });
      expect((await history(ask, agent))[0]).toMatchObject({ message: 'after it', state: 'complete' });
      expect(existsSync(join(worktreeOf(fleet, await workspaceOf(ask, agent)), 'work.txt'))).toBe(true);
      const { facts } = await fleet.fleet.facts(agent);
      const mended = facts.flatMap(({ body }) => (body.kind === 'journal.mended' ? [body] : []));
      expect([agent, mended.length]).toEqual([agent, 1]);
      if (agent !== lostBy('is gone')) expect(existsSync(String(mended[0]?.kept_as))).toBe(true);
    }
  });
});

describe('what a damaged journal had', () => {
  it('is there again where it can be read: history with a damaged log, facts with a damaged history', async ({
    ask,
  }) => {
    const name = lostBy('has a damaged page of history');
    const rows = await history(ask, name);
    expect(rows.map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect((await logOf(ask, name)).length).toBeGreaterThan(2);
  });

  it('was sent to subscribers once, and so is what came later', async ({ fleet }) => {
    await using again = openFleet({ env: fleet.env, cwd: fleet.directory });
    const events = again.fleet.events?.since('0', 10_000) ?? [];
    for (const name of NAMES) {
      const kinds = events.filter(({ agent_name }) => agent_name === name).map(({ kind }) => kind);
      expect([name, kinds.filter((kind) => kind === 'task.ended').length]).toEqual([name, 2]);
    }
  });
});

describe('a damaged journal', () => {
  it('keeps no agent from being deleted, with its work kept', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'doomed', {
      project: 'Sleepy',
      task: script({ write: 'work.txt', content: 'precious' }),
    });
    await asleep(fleet, ask);
    DAMAGES['is garbage'](journalOf(fleet, workspace_id));
    const { kept } = await ask('delete_agent', { agent_name: 'doomed' });
    expect(kept).toBe(`fleet-kept/doomed/${workspace_id}`);
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('doomed');
    const archived = readdirSync(join(fleet.home, 'archive', workspace_id));
    expect(archived.filter((name) => name.includes('damaged'))).toHaveLength(1);
  });

  it('ends a runner that meets it, and the task with it, and nothing runs twice', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'struck');
    const held = join(fleet.directory, 'struck-held');
    const ran = join(fleet.directory, 'struck-ran');
    await ask('start_agent_task', {
      agent_name: 'struck',
      task_description: script({ append: ran }, { hold: held }),
    });
    await until(async () => existsSync(ran), Boolean);
    await ask('start_agent_task', { agent_name: 'struck', task_description: 'queued', when_busy: 'queue' });
    spoilTable(journalOf(fleet, workspace_id), 'facts');
    writeFileSync(held, '');
    const struck = await until(
      () => agentOf(ask, 'struck'),
      ({ status }) => status === 'failed',
    );
    expect(struck.status_reason).toContain(journalOf(fleet, workspace_id));
    await until(
      async () => processesOf(fleet, workspace_id),
      (left) => left.length === 0,
    );
    await ask('restart_agent', { agent_name: 'struck' });
    await waitIdle(ask, 'struck');
    expect((await history(ask, 'struck')).filter(({ state }) => state === 'queued')).toEqual([]);
  });

  it('ends tasks that waited in it: nobody knows whether they ran', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'waiting');
    const ran = join(fleet.directory, 'waiting-ran');
    await heldTask(ask, { directory: fleet.directory, agent_name: 'waiting' });
    const id = await queueTask(ask, 'waiting', script({ append: ran }));
    await ask('stop_agent', { agent_name: 'waiting' });
    await until(
      async () => processesOf(fleet, workspace_id),
      (left) => left.length === 0,
    );
    spoilTable(journalOf(fleet, workspace_id), 'log');
    await ask('restart_agent', { agent_name: 'waiting' });
    await waitIdle(ask, 'waiting');
    const rows = await history(ask, 'waiting');
    expect(rows.find((row) => row['id'] === id)).toMatchObject({ state: 'interrupted' });
    expect(rows.map(({ state }) => state)).toEqual(['interrupted', 'interrupted', 'complete']);
    expect(existsSync(ran)).toBe(false);
  });

  it('that is put right by hand is right again, without a word to anybody', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'mended', { project: 'Sleepy' });
    await asleep(fleet, ask);
    settleLog(journalOf(fleet, workspace_id));
    copyFileSync(journalOf(fleet, workspace_id), `${journalOf(fleet, workspace_id)}.copy`);
    DAMAGES['is garbage'](journalOf(fleet, workspace_id));
    await failure(ask('show_agent_log', { agent_name: 'mended' }));
    expect(await statusOf(ask, 'mended')).toBe('failed');
    removeAll(journalOf(fleet, workspace_id));
    copyFileSync(`${journalOf(fleet, workspace_id)}.copy`, journalOf(fleet, workspace_id));
    expect(await statusOf(ask, 'mended')).toBe('idle');
    expect((await history(ask, 'mended'))[0]).toMatchObject({ state: 'complete' });
  });
});

/** All agents that can sleep do, and nobody has their journals open. */
async function asleep(fleet: LocalFleet, ask: Ask): Promise<void> {
  await until(
    async () =>
      (await agentsOf(ask)).filter(({ project, status }) => project === 'Sleepy' && status === 'idle'),
    (agents) => agents.every(({ workspace_id }) => processesOf(fleet, workspace_id).length === 0),
  );
}

function lostBy(name: string): string {
  return NAMES[Object.keys(LOST).indexOf(name)] ?? '';
}

async function workspaceOf(ask: Ask, name: string): Promise<string> {
  return (await agentsOf(ask)).find((agent) => agent.name === name)?.workspace_id ?? '';
}

async function statusOf(ask: Ask, name: string): Promise<string | undefined> {
  return (await agentsOf(ask)).find((agent) => agent.name === name)?.status;
}

function journalOf(fleet: LocalFleet, workspaceId: string): string {
  return join(fleet.home, 'agents', workspaceId, 'journal.db');
}

function worktreeOf(fleet: LocalFleet, workspaceId: string): string {
  return join(fleet.home, 'agents', workspaceId, 'work');
}
