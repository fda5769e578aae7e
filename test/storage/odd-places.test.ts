import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, makeRepository, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

let fleet: LocalFleet;

beforeAll(() => {
  fleet = localFleet();
});
afterAll(() => fleet[Symbol.asyncDispose]());

const PLACES: Record<string, () => NodeJS.ProcessEnv> = {
  'a very long path': () => ({ FLEET_HOME: home('long', 'x'.repeat(120), 'y'.repeat(120)) }),
  'spaces and quotes': () => ({ FLEET_HOME: home(`it's "a" home`, '$(false) `x` \\ *') }),
  'a line break and a percent sign': () => ({ FLEET_HOME: home('two\nlines', '100%?#') }),
  'a link to a directory': () => {
    mkdirSync(home('real'), { recursive: true });
    symlinkSync(home('real'), home('link'));
    return { FLEET_HOME: home('link') };
  },
  'no TMPDIR that is there': () => ({
    FLEET_HOME: home('no-tmp', 'x'.repeat(100)),
    TMPDIR: '/nowhere/at/all',
  }),
  'no HOME': () => ({ FLEET_HOME: home('no-home'), HOME: undefined }),
};

describe.each(Object.keys(PLACES))('a home with %s', (name) => {
  it.concurrent('runs a task to its end, takes a report from inside, and is deleted', async () => {
    const env = { ...fleet.env, ...PLACES[name]?.() };
    for (const [key, value] of Object.entries(env))
      if (value === undefined) delete env[key as keyof typeof env];
    let calls = 0;
    const call = async (operation: string, input: Answer): Promise<Answer> => {
      // Each caller may have a runtime directory of its own; the agent has one.
      const XDG_RUNTIME_DIR = calls++ % 2 === 0 ? '' : fleet.directory;
      const { stdout, stderr, code } = await runFleet(['call', operation, JSON.stringify(input)], {
        env: { ...env, XDG_RUNTIME_DIR },
      });
      expect({ operation, code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(stdout) as Answer;
    };
    const agent_name = 'sony';
    await call('create_agent', {
      project: 'Setup',
      name: agent_name,
      task: script({ report: 'from inside' }),
    });
    expect(await call('wait_for_agents', { timeout_seconds: 50 })).toMatchObject({ timed_out: false });
    const { tasks } = await call('show_agent_task_history', { agent_name });
    expect(tasks).toMatchObject([{ kind: 'report', message: 'from inside' }, { state: 'complete' }]);
    await call('start_agent_task', { agent_name, task_description: 'once more' });
    await call('delete_agent', { agent_name });
    expect(existsSync('/nowhere')).toBe(false);
  });
});

describe('a socket path', () => {
  it.each(['a plain file', 'a directory', 'a socket that nobody listens on'])(
    'with %s in it is taken over',
    async (what) => {
      const ask = askAs(fleet.fleet);
      const name = `left-${what.length}`;
      const { workspace_id } = await idleAgent(ask, name);
      await ask('stop_agent', { agent_name: name });
      const socket = join(fleet.home, 'agents', workspace_id, 'runner.sock');
      rmSync(socket, { force: true, recursive: true });
      if (what === 'a plain file') writeFileSync(socket, 'something');
      else if (what === 'a directory') mkdirSync(join(socket, 'inner'), { recursive: true });
      else leaveSocket(socket);
      expect(await agentOf(ask, name)).toMatchObject({ status: 'stopped' });
      await ask('restart_agent', { agent_name: name });
      await waitIdle(ask, name);
      await ask('start_agent_task', { agent_name: name, task_description: 'heard' });
      await waitIdle(ask, name);
      expect((await history(ask, name))[0]).toMatchObject({ message: 'heard', state: 'complete' });
      await ask('delete_agent', { agent_name: name });
    },
  );
});

describe('two homes on one repository', () => {
  it('have agents of the same name side by side, and deleting one does the other no harm', async () => {
    const asks = await Promise.all(
      ['one', 'two'].map(async (each) => {
        const opened = openFleet({ env: { ...fleet.env, FLEET_HOME: home(each) }, cwd: fleet.directory });
        return { opened, ask: askAs(opened.fleet) };
      }),
    );
    const [one, two] = asks.map(({ ask }) => ask) as [Ask, Ask];
    const task = script({ write: 'work.txt' });
    const [first, second] = await Promise.all([
      idleAgent(one, 'twin', { task }),
      idleAgent(two, 'twin', { task }),
    ]);
    const [plain, withId, ...others] = shownIn(fleet.repository);
    const names = [first, second].map(({ workspace_id }) => `fleet/twin-${workspace_id.slice(0, 8)}`);
    expect([plain, others]).toEqual(['fleet/twin', []]);
    expect(names).toContain(withId);
    const { kept } = await one('delete_agent', { agent_name: 'twin' });
    expect(kept).toBe(`fleet-kept/twin/${first.workspace_id}`);
    expect(await agentsOf(one)).toEqual([]);
    expect(await agentOf(two, 'twin')).toMatchObject({ status: 'idle', workspace_id: second.workspace_id });
    await two('start_agent_task', { agent_name: 'twin', task_description: 'still here' });
    await waitIdle(two, 'twin');
    expect(await two('delete_agent', { agent_name: 'twin' })).toMatchObject({
      kept: `fleet-kept/twin/${second.workspace_id}`,
    });
    expect(shownIn(fleet.repository)).toEqual([]);
    for (const { opened } of asks) await opened[Symbol.asyncDispose]();
  });
});

/** The branches of agents, as the user sees them. */
function shownIn(repository: string): readonly string[] {
  const args = ['-C', repository, 'for-each-ref', '--format=%(refname:lstrip=2)', 'refs/remotes/fleet/'];
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('a repository that was deleted', () => {
  it('fails nothing but what needs it, and its agents can be deleted', async () => {
    const own = localFleet((config) => {
      config.projects['Gone'] = {
        repository: makeRepository(mkdtempSync(join(tmpdir(), 'fleet-gone-'))),
        default_role: 'scripted',
      };
    });
    await using _ = own;
    const ask = askAs(own.fleet);
    await idleAgent(ask, 'idle', { project: 'Gone' });
    await idleAgent(ask, 'well');
    const go = join(own.directory, 'go');
    await ask('create_agent', { project: 'Gone', name: 'busy', task: script({ hold: go }) });
    await until(
      () => agentOf(ask, 'busy'),
      ({ status }) => status === 'busy',
    );
    const { repository } = await repositoryOf(own);
    rmSync(repository, { recursive: true });
    expect(await agentsOf(ask)).toMatchObject([{ status: 'busy' }, { status: 'idle' }, { status: 'idle' }]);
    writeFileSync(go, '');
    await waitIdle(ask, 'busy');
    for (const agent_name of ['busy', 'idle']) {
      await expect(ask('delete_agent', { agent_name })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        details: { reason: 'work_not_kept' },
      });
      await ask('delete_agent', { agent_name, discard_work: true });
    }
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['well']);
    await expect(ask('create_agent', { project: 'Gone', task: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { reason: 'bad_repository' },
    });
  });
});

async function repositoryOf({ opened }: LocalFleet): Promise<{ repository: string }> {
  const { projects } = (await opened.config()).current().config;
  return { repository: projects['Gone']?.repository ?? '' };
}

/** Homes inside the first one's: all that runs in them is ended with it. */
function home(...parts: string[]): string {
  return join(fleet.directory, 'home', 'places', ...parts);
}

function leaveSocket(path: string): void {
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  try {
    execFileSync(process.execPath, ['-e', code]);
  } catch {
    // It was killed, as it should.
  }
}
