import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import {
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const TREE = fileURLToPath(new URL('./programs/tree.mjs', import.meta.url));

let fleet: LocalFleet;
let ask: Ask;
const markers: Record<string, string> = {};

beforeAll(async () => {
  fleet = localFleet((config) => {
    config.roles['tree'] = { agent: 'command', command: [process.execPath, TREE] };
    config.projects['Setup'] = { ...config.projects['Setup'], default_role: 'shell' };
  });
  ask = askAs(fleet.fleet);
  const { workspace_id } = await idleAgent(ask, 'parent', { task: 'true' });
  markers['parent'] = workspace_id;
});
afterAll(() => fleet[Symbol.asyncDispose]());

const file = (name: string): string => join(fleet.directory, name);
const newest = async (name: string): Promise<Answer> => (await history(ask, name))[0] ?? {};

/** What each process of a tree has noted, in order. */
function notes(out: string): Record<string, string[]> {
  const lines = existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : [];
  return Object.fromEntries(
    ['main', 'child', 'session'].map((name) => [
      name,
      lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1)),
    ]),
  );
}

/** An agent whose first task is a tree of processes, all of them ready for signals. */
async function growTree(name: string, ends: Readonly<Record<string, string>>): Promise<string> {
  const out = file(name);
  const { agent } = await ask('create_agent', {
    project: 'Setup',
    role: 'tree',
    name,
    task: JSON.stringify({ out, ends }),
  });
  markers[name] = String((agent as Answer)['workspace_id']);
  await until(
    async () => Object.values(notes(out)),
    (each) => each.every(([first]) => first === 'ready'),
  );
  return out;
}

describe('cancelling the task of a command agent', () => {
  it('sends SIGINT to every process of its tree [CMD-cancel-interrupt]', async () => {
    const out = await growTree('polite', { main: 'SIGINT', child: 'SIGINT', session: 'SIGINT' });
    expect(await ask('cancel_agent_task', { agent_name: 'polite' })).toMatchObject({ interrupt_sent: true });
    await waitIdle(ask, 'polite');
    expect(notes(out)).toEqual({
      main: ['ready', 'SIGINT'],
      child: ['ready', 'SIGINT'],
      session: ['ready', 'SIGINT'],
    });
    expect(await newest('polite')).toMatchObject({ state: 'canceled' });
  });

  it('goes on to SIGTERM, to SIGKILL for what ignores that too, and ends when all is gone [CMD-cancel-terminate, CMD-tree-gone]', async () => {
    const out = await growTree('stubborn', { child: 'SIGTERM' });
    await ask('cancel_agent_task', { agent_name: 'stubborn' });
    expect(await newest('stubborn')).toMatchObject({ state: 'running' });
    await waitIdle(ask, 'stubborn');
    expect(notes(out)).toEqual({
      main: ['ready', 'SIGINT', 'SIGTERM'],
      child: ['ready', 'SIGINT', 'SIGTERM'],
      session: ['ready', 'SIGINT', 'SIGTERM'],
    });
    expect(findRun(markers['stubborn'] ?? '')).toEqual([]);
    expect(await newest('stubborn')).toMatchObject({ state: 'canceled' });
  });
});

/** Processes that try to stay: in the background, without a terminal, deaf, in sessions of their own. */
function leftBehind(): string {
  return [
    'sleep 600 &',
    'nohup sleep 600 >/dev/null 2>&1 &',
    '(trap "" HUP INT TERM; sleep 600) &',
    ...(process.platform === 'linux' ? ['setsid sleep 600 &', 'setsid -f sleep 600'] : []),
  ].join('\n');
}

describe('whatever a task started', () => {
  it('is gone when its end is recorded, however it ended [CMD-tree-gone]', async () => {
    const marker = markers['parent'] ?? '';
    const ends: Readonly<Record<string, { readonly last: string; readonly operation?: string }>> = {
      complete: { last: 'exit 0' },
      failed: { last: 'exit 3' },
      canceled: { last: 'sleep 600', operation: 'cancel_agent_task' },
      interrupted: { last: 'sleep 600', operation: 'stop_agent' },
    };
    for (const [state, { last, operation }] of Object.entries(ends)) {
      const [ready, go] = [file(`${state}-ready`), file(`${state}-go`)];
      const hold = `while [ ! -e ${go} ]; do sleep 0.02; done`;
      await ask('start_agent_task', {
        agent_name: 'parent',
        task_description: [leftBehind(), `touch ${ready}`, hold, last].join('\n'),
      });
      await until(async () => existsSync(ready), Boolean);
      expect(findRun(marker).length).toBeGreaterThan(4);
      if (operation === undefined) writeFileSync(go, '');
      else await ask(operation, { agent_name: 'parent' });
      await until(
        () => newest('parent'),
        (row) => row['state'] !== 'running',
      );
      expect(findRun(marker)).toEqual([]);
      expect(await newest('parent')).toMatchObject({ state });
    }
  });
});
