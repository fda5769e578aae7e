import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { LocalBackend } from '../../src/backends/local/local-backend.ts';
import { openStore } from '../../src/backends/local/records/open-store.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { heldTask } from '../operations/held-task.ts';
import { runnerOf } from '../operations/processes-of.ts';
import { FLEET, serveFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { removeAll } from './damage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const onLinux = process.platform === 'linux';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await Promise.all([idleAgent(ask, 'busy'), idleAgent(ask, 'other'), idleAgent(ask, 'killed')]);
});

describe.skipIf(!onLinux)('a suspended server and runner (skipped where there is no /proc)', () => {
  it('go on where they were: nothing failed, nothing is stuck, there is one runner, and what was asked is done', async ({
    fleet,
    ask,
  }) => {
    await using server = await serveFleet(fleet.env);
    const held = await heldTask(ask, { directory: fleet.directory, agent_name: 'busy' });
    const { workspace_id } = await agentOf(ask, 'busy');
    const runner = runnerOf(fleet, workspace_id);
    if (runner === undefined) throw new Error('there is no runner');
    process.kill(runner, 'SIGSTOP');
    server.process.kill('SIGSTOP');
    const asked = ask('start_agent_task', {
      agent_name: 'busy',
      task_description: 'asked meanwhile',
      when_busy: 'queue',
    });
    const listed = server.request('GET', '/api/v1/agents');
    await delay(1500);
    expect(await agentOf(ask, 'busy')).toMatchObject({ status: 'busy', stuck: false });
    expect((await agentsOf(ask)).map(({ status }) => status)).toEqual(['busy', 'idle', 'idle']);
    process.kill(runner, 'SIGCONT');
    server.process.kill('SIGCONT');
    expect(await asked).toMatchObject({ agent_status: 'busy' });
    expect(await listed).toMatchObject({ status: 200 });
    held.release();
    await waitIdle(ask, 'busy');
    expect((await history(ask, 'busy')).slice(0, 2)).toMatchObject([
      { message: 'asked meanwhile', state: 'complete' },
      { id: held.id, state: 'complete' },
    ]);
    expect(runnerOf(fleet, workspace_id)).toBe(runner);
  });
});

describe('a clock', () => {
  it.for([
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
  ] as const)(
    'that is %s makes nothing stuck or failed, and the order stays',
    async ([name, shift], { fleet, ask }) => {
      const clock: Clock = {
        now: () => ({ ...systemClock.now(), at: systemClock.now().at + shift }),
      };
      using store = openStore(fleet.home);
      const { projects } = await projectsOf(fleet);
      const backend = new LocalBackend({ home: fleet.home, store, clock, projects });
      const shifted = askAs(new Fleet({ backends: [backend], clock }));
      const held = await heldTask(shifted, { directory: fleet.directory, agent_name: 'other' });
      expect(await agentOf(shifted, 'other')).toMatchObject({ status: 'busy', stuck: false });
      expect((await agentsOf(shifted)).filter(({ status }) => status === 'failed')).toEqual([]);
      held.release();
      await waitIdle(shifted, 'other');
      await ask('stop_agent', { agent_name: 'other' });
      await shifted('set_agent_metadata', { agent_name: 'other', key: 'fleet_mcp_clock', value: name });
      await shifted('restart_agent', { agent_name: 'other' });
      await waitIdle(shifted, 'other');
      await ask('start_agent_task', { agent_name: 'other', task_description: `after ${name}` });
      await waitIdle(ask, 'other');
      expect((await history(ask, 'other'))[0]).toMatchObject({ message: `after ${name}`, state: 'complete' });
      const { facts } = await fleet.fleet.facts('other');
      expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, index) => index + 1));
    },
  );
});

describe.skipIf(!onLinux)('a log of SQLite that lost its end (skipped where there is no /proc)', () => {
  it('costs a journal its last facts, which is a fact, and no task runs twice', async ({ fleet, ask }) => {
    const { workspace_id } = await agentOf(ask, 'killed');
    const ran = join(fleet.directory, 'ran-once');
    const file = join(fleet.home, 'agents', workspace_id, 'journal.db');
    const before = statSync(`${file}-wal`).size;
    await ask('start_agent_task', {
      agent_name: 'killed',
      task_description: JSON.stringify([{ append: ran }]),
    });
    await waitIdle(ask, 'killed');
    process.kill(runnerOf(fleet, workspace_id) ?? 0, 'SIGKILL');
    await until(
      async () => runnerOf(fleet, workspace_id),
      (left) => left === undefined,
    );
    // The task is accepted in what is left, and not started.
    truncateAfter(file, before, 'task.accepted');
    expect(await agentOf(ask, 'killed')).toMatchObject({ status: 'idle' });
    const { facts } = await fleet.fleet.facts('killed');
    expect(facts.map(({ body }) => body.kind)).toContain('journal.mended');
    await ask('restart_agent', { agent_name: 'killed' });
    await waitIdle(ask, 'killed');
    expect(readFileSync(ran, 'utf8').trim().split('\n')).toHaveLength(1);
    expect((await history(ask, 'killed'))[0]).toMatchObject({ state: 'interrupted' });
  });
});

describe.skipIf(!onLinux)('too few file descriptors (skipped where there is no /proc)', () => {
  it.for([23, 25, 27, 29, 31])(
    '%i of them: a command does its work, or says what is missing',
    async (limit, { fleet }) => {
      const command = ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', process.execPath, FLEET];
      const { stdout, stderr, status } = spawnSync(
        'sh',
        [...command, 'call', 'create_agent', newAgent(`few-${limit}`)],
        { env: fleet.env, encoding: 'utf8' },
      );
      const answer = JSON.parse(stdout) as { error?: { code: string; details: Answer } };
      if (answer.error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      else
        expect(answer.error).toMatchObject({
          code: 'SERVICE_UNAVAILABLE',
          details: { reason: 'too_many_files' },
        });
      expect(stderr).not.toMatch(/\n +at /);
    },
  );

  it('a server whose clients took them all answers again when they are gone', async ({ fleet }) => {
    const server = spawn(
      'sh',
      ['-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, FLEET, 'serve', '--port', '0', '--json'],
      { env: fleet.env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const { url, token_file } = JSON.parse(line.toString()) as { url: string; token_file: string };
      const headers = { authorization: `Bearer ${readFileSync(token_file, 'utf8').trim()}` };
      const port = Number(new URL(url).port);
      const clients = await Promise.all(Array.from({ length: 80 }, () => opened(port)));
      const list = (): Promise<number> =>
        fetch(`${url}/api/v1/agents`, { headers }).then(
          ({ status }) => status,
          () => 0,
        );
      // A server that still starts closes files after clients took the others.
      const takeOneMore = async (): Promise<number> => {
        clients.push(await opened(port));
        return list();
      };
      await until(takeOneMore, (status) => status === 0);
      for (const client of clients) client.destroy();
      await until(list, (status) => status === 200);
      expect(server.exitCode).toBe(null);
    } finally {
      server.kill('SIGKILL');
    }
  });
});

function newAgent(name: string): string {
  return JSON.stringify({ project: 'Setup', name, task: 'nothing' });
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Cuts the log so that the last fact left is of a kind. */
function truncateAfter(file: string, from: number, kind: string): void {
  const FRAME = 4096 + 24;
  const whole = `${file}.whole`;
  copyFileSync(`${file}-wal`, whole);
  const { size } = statSync(whole);
  for (let end = size; end >= from; end -= FRAME) {
    truncateSync(`${file}-wal`, 32 + Math.floor((end - 32) / FRAME) * FRAME);
    if (lastFact(file) === kind) return;
  }
  throw new Error(`no ${kind} in the log`);
}

/** Looked at in a copy: opening it would change it. */
function lastFact(file: string): string {
  const copy = `${file}.look`;
  removeAll(copy);
  copyFileSync(file, copy);
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  const code = `const { DatabaseSync } = require('node:sqlite');
    const row = new DatabaseSync(process.argv[1]).prepare('SELECT body FROM facts ORDER BY seq DESC LIMIT 1').get();
    console.log(JSON.parse(row.body).kind);`;
  return spawnSync(process.execPath, ['-e', code, copy], { encoding: 'utf8' }).stdout.trim();
}

async function projectsOf({ env, configFile, home }: LocalFleet) {
  const { ConfigSource } = await import('../../src/config/config-source.ts');
  const { LocalProjects } = await import('../../src/backends/local/local-projects.ts');
  const location = { path: configFile, named: true };
  const config = new ConfigSource({ location, env, isTrusted: () => true });
  return { projects: async () => new LocalProjects({ home, config, env }) };
}
