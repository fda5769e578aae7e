import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toFleetError } from '../../src/domain/values/errors.ts';
import { heldTask, queueTask, type HeldTask } from '../operations/held-task.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';
import type { Answer, Ask } from '../support/fleets/fleet-under-test.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { sharedHome, type SharedHome } from './first-version.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const INSTALLED = ['node_modules', 'src', 'node'];
let shared: SharedHome;
let checkout: string;
let launcher: string;
/** Answers over HTTP, by a server that was started before. */
let served: Ask;
let held: HeldTask;
let reports: string;

/** A checkout of its own, with a Node that its installation brings and takes away. */
beforeAll(async () => {
  shared = sharedHome();
  checkout = join(shared.directory, 'checkout');
  launcher = join(checkout, 'bin', 'fleet.js');
  mkdirSync(join(checkout, 'node'), { recursive: true });
  for (const name of ['bin', 'src', 'package.json'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  bring(process.execPath, join(checkout, 'node', 'node'));
  served = await serve();
  reports = join(shared.directory, 'reports');
  // The server itself has not been asked for anything before the installation.
  const command = shared.by(launcher, join(checkout, 'node', 'node'));
  await idleAgent(command, 'busy');
  await idleAgent(command, 'asleep', { project: 'Sleepy' });
  await idleAgent(command, 'talker', { role: 'shell', task: 'true' });
  held = await heldTask(command, { directory: shared.directory, agent_name: 'busy' });
  await queueTask(command, 'busy', 'the next one');
  await command('start_agent_task', { agent_name: 'talker', task_description: reportUntilItWorks() });
  await until(
    () => agentOf(command, 'asleep'),
    ({ status_reason }) => status_reason.startsWith('asleep'),
  );
}, 120_000);
afterAll(() => shared[Symbol.asyncDispose]());

describe('while Fleet is reinstalled over a running fleet', () => {
  beforeAll(() => take());

  it('a command says so, in the form that was asked for, and exits with 7', async () => {
    for (const words of [['list'], ['task', 'busy', 'x'], ['serve'], ['--help']]) {
      const { code, stdout, stderr } = await fleet(...words);
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
      expect(stderr).toMatch(/^fleet: Fleet is being installed, .* Try again in a moment.*\n$/);
    }
    for (const words of [
      ['call', 'list_agents'],
      ['show', 'busy', '--json'],
    ]) {
      const { code, stdout } = await fleet(...words);
      expect(code).toBe(7);
      expect(JSON.parse(stdout)).toMatchObject({
        error: { code: 'SERVICE_UNAVAILABLE', details: { reason: 'installing' } },
      });
    }
  });

  it('a command says so when only its packages are away', async () => {
    renameSync(join(checkout, 'src.away'), join(checkout, 'src'));
    try {
      expect(await fleet('list')).toMatchObject({
        code: 7,
        stderr: expect.stringContaining('being installed'),
      });
    } finally {
      renameSync(join(checkout, 'src'), join(checkout, 'src.away'));
    }
  });

  it('the command of an agent says so, in the form that was asked for, and exits with 7', async () => {
    const told = await until(
      async () => readFileSync(reports, 'utf8'),
      (all) => all.includes('json 7'),
    );
    expect(told).toContain('fleet: Fleet is being installed: some of its files are missing.');
    expect(told).toContain('plain 7');
    expect(told).toContain('{"error":{"code":"SERVICE_UNAVAILABLE"');
  });

  it('a server that was there answers, and so do runners', async () => {
    expect((await agentsOf(served)).map(({ name, status }) => [name, status])).toEqual([
      ['asleep', 'idle'],
      ['busy', 'busy'],
      ['talker', 'busy'],
    ]);
    expect((await served('list_agent_projects', {}))['total_count']).toBe(2);
    expect(await history(served, 'busy')).toHaveLength(3);
    await queueTask(served, 'busy', 'one more');
    await served('set_agent_metadata', { agent_name: 'busy', key: 'fleet_mcp_a', value: 'b' });
  });

  it('what would need a new process is refused before anything is changed', async () => {
    const before = await agentsOf(served);
    const { pid } = shared.runnerOf('busy');
    for (const [operation, input] of NEEDS_A_RUNNER) {
      expect(await failure(served(operation, input))).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        details: { reason: 'installing' },
        message: expect.stringContaining('Try again') as string,
      });
    }
    expect(await agentsOf(served)).toEqual(before);
    expect(shared.runnerOf('busy').pid).toBe(pid);
  });

  it('a running task goes on, and so does its queue', async () => {
    const { pid } = shared.runnerOf('busy');
    held.release();
    await waitIdle(served, 'busy');
    expect((await history(served, 'busy')).map(({ message, state }) => [message, state])).toEqual([
      ['one more', 'complete'],
      ['the next one', 'complete'],
      [held.message, 'complete'],
      ['get ready', 'complete'],
    ]);
    expect((await logOf(served, 'busy'))[0]).toMatchObject({ message: 'did: one more' });
    expect(shared.runnerOf('busy').pid).toBe(pid);
  });
});

describe('code that is not there', () => {
  it('is not a defect of Fleet', async () => {
    const nowhere = './nowhere.ts';
    const thrown: unknown = await import(nowhere).catch((error: unknown) => error);
    expect(toFleetError(thrown)).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'installing' },
    });
    expect(toFleetError(new Error('other'))).toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('when Fleet has been installed', () => {
  beforeAll(() => putBack());

  it('every call that was refused can be made again', async () => {
    for (const [operation, input] of NEEDS_A_RUNNER) await served(operation, input);
    await waitIdle(served, 'asleep', 'busy', 'later');
    expect((await history(served, 'asleep'))[0]).toMatchObject({ message: 'wake up', state: 'complete' });
    expect((await fleet('list')).code).toBe(0);
  });

  it('an agent can report again', async () => {
    await waitIdle(served, 'talker');
    expect((await history(served, 'talker')).map(({ message }) => message)).toContain('heard at last');
  });
});

const NEEDS_A_RUNNER: readonly (readonly [string, Answer])[] = [
  [
    'create_agent',
    { project: 'Setup', name: 'later', task: 'x', spec: 'objective: x', idempotency_key: 'k' },
  ],
  ['start_agent_task', { agent_name: 'asleep', task_description: 'wake up' }],
  ['restart_agent', { agent_name: 'busy' }],
];

/** As `npm ci` does, and more: it leaves the sources alone. */
function take(): void {
  for (const name of INSTALLED) renameSync(join(checkout, name), join(checkout, `${name}.away`));
  writeFileSync(reports, '');
}

function putBack(): void {
  for (const name of INSTALLED) renameSync(join(checkout, `${name}.away`), join(checkout, name));
}

async function fleet(...words: string[]) {
  const child = spawn(process.execPath, [launcher, ...words], { env: shared.env, stdio: 'pipe' });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

function reportUntilItWorks(): string {
  return `
    while [ ! -e '${reports}' ]; do sleep 0.1; done
    until fleet report 'heard at last' 2>> '${reports}'; do
      echo plain $? >> '${reports}'
      fleet show --json >> '${reports}'
      echo json $? >> '${reports}'
      sleep 0.1
    done`;
}

async function serve(): Promise<Ask> {
  const child = spawn(join(checkout, 'node', 'node'), [launcher, 'serve', '--port', '0', '--json'], {
    env: shared.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { mcp_url, token_file } = JSON.parse(line) as { mcp_url: string; token_file: string };
  const client = await connectClient('SDK v2, modern era', {
    mcp_url,
    token: readFileSync(token_file, 'utf8').trim(),
  });
  return client.ask;
}

/** A hard link where it can be one: a Node is large. */
function bring(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
