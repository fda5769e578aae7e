import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TOKEN_SCOPES } from '../../src/backends/coder/check-server.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { clientOf, LAB, startRealCoder } from '../support/coder/real-coder.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { script } from '../support/script.ts';
import { realCoder, realFleet, type RealFleet } from './real-fleet.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

let fleet: RealFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
const status = async (name: string): Promise<string> => (await agentOf(ask, name)).status;
const workspaceDirectory = (id: string): string => join(fleet.coder.workspaces_dir, id);

/** What somebody does in Coder's own page. */
const inCoder = async (name: string, transition: 'start' | 'stop'): Promise<void> => {
  const { workspace_id } = await agentOf(ask, name);
  await clientOf(fleet.coder).tell(`/workspaces/${workspace_id}/builds`, {
    method: 'POST',
    body: { transition },
  });
};

beforeAll(async () => {
  fleet = await realFleet();
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('on a real Coder server', () => {
  it('keeps history and log over a stop and a start that somebody else did', async () => {
    await idleAgent(ask, 'kept', { task: script({ say: 'remember this' }) });
    const before = await history(ask, 'kept');
    await logOf(ask, 'kept');
    await inCoder('kept', 'stop');
    await until(
      () => status('kept'),
      (now) => now === 'stopped',
    );
    expect(await history(ask, 'kept')).toEqual(before);
    expect((await logOf(ask, 'kept')).map(({ message }) => message)).toContain('remember this');
    const error = await failure(ask('start_agent_task', { agent_name: 'kept', task_description: 'x' }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'agent_offline' } });
    await inCoder('kept', 'start');
    await waitIdle(ask, 'kept');
    await until(
      () => status('kept'),
      (now) => now === 'idle',
    );
    expect(await history(ask, 'kept')).toEqual(before);
  });

  it('starts a runner that died again, and says what became of its task', async () => {
    const begun = signalFile(fleet, 'begun');
    await idleAgent(ask, 'phoenix');
    await ask('start_agent_task', {
      agent_name: 'phoenix',
      task_description: script({ write: begun }, { hold: signalFile(fleet, 'never') }),
    });
    await until(async () => existsSync(begun), Boolean);
    const { workspace_id } = await agentOf(ask, 'phoenix');
    const facts = (await fleet.fleet.facts('phoenix')).facts;
    const started = facts.findLast(({ body }) => body.kind === 'runner.started');
    if (started?.body.kind !== 'runner.started') throw new Error('no runner');
    process.kill(started.body.pid, 'SIGKILL');
    await until(
      async () => (await history(ask, 'phoenix'))[0]?.['state'],
      (state) => state === 'interrupted',
    );
    await until(
      () => status('phoenix'),
      (now) => now === 'idle',
    );
    expect(workspaceDirectory(workspace_id)).toSatisfy(existsSync);
  });

  it('says that an agent is disconnected when it died in a running workspace', async () => {
    await idleAgent(ask, 'lost');
    const { workspace_id } = await agentOf(ask, 'lost');
    const pid = Number(readFileSync(join(workspaceDirectory(workspace_id), 'agent.pid'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    const [backend] = await coderBackends(fleet.opened);
    const observed = await until(
      async () => (await backend?.find('lost'))?.observed,
      (seen) => seen?.unreachable_since !== undefined,
    );
    expect(observed?.unreachable_since).toBeLessThanOrEqual(Date.now());
    await ask('restart_agent', { agent_name: 'lost' });
    await waitIdle(ask, 'lost');
    expect(await status('lost')).toBe('idle');
  });

  it('refuses a second workspace of a name, also in a race', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => ask('create_agent', { project: 'Setup', task: 'x', name: 'raced' })),
    );
    expect(made.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(1);
    for (const each of made)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'CONFLICT' });
    expect((await agentsOf(ask)).filter(({ name }) => name === 'raced')).toHaveLength(1);
  });

  it('deletes a workspace in the middle of its build', async () => {
    await ask('create_agent', { project: 'Setup', task: 'x', name: 'short-lived' });
    const { workspace_id } = await agentOf(ask, 'short-lived');
    await ask('delete_agent', { agent_name: 'short-lived' });
    expect((await failure(ask('show_agent', { agent_name: 'short-lived' }))).code).toBe('NOT_FOUND');
    expect(existsSync(workspaceDirectory(workspace_id))).toBe(false);
  });

  it('does everything with the least scopes that are documented', async () => {
    const { key } = await clientOf(fleet.coder).ask('/users/me/keys/tokens', z.object({ key: z.string() }), {
      method: 'POST',
      body: { token_name: `least-${Date.now()}`, lifetime: 3_600_000_000_000, scopes: TOKEN_SCOPES },
    });
    const env = { ...fleet.env, CODER_SESSION_TOKEN: key, FLEET_HOME: join(fleet.directory, 'least') };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const least = askAs(opened.fleet);
    expect(await least('list_agent_projects')).toMatchObject({ total_count: expect.any(Number) });
    await idleAgent(least, 'least');
    await least('start_agent_task', { agent_name: 'least', task_description: 'more' });
    await waitIdle(least, 'least');
    expect(await history(least, 'least')).toHaveLength(2);
    expect(await least('stop_agent', { agent_name: 'least' })).toMatchObject({ status: 'stopped' });
    await least('restart_agent', { agent_name: 'least' });
    await waitIdle(least, 'least');
    await least('delete_agent', { agent_name: 'least' });
    expect((await agentsOf(least)).map(({ name }) => name)).not.toContain('least');
    const environment = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(environment).not.toContain(key);
  });

  it('shows an agent by owner/name to another user who may see it, who can do nothing to it', async () => {
    const { name: own } = await idleAgent(ask, 'seen');
    const { username } = await clientOf(fleet.coder).ask('/users/me', z.object({ username: z.string() }));
    const { token } = realCoder();
    const env = { ...fleet.env, CODER_SESSION_TOKEN: token, FLEET_HOME: join(fleet.directory, 'other') };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const other = askAs(opened.fleet);
    const name = `${username}/${own}`;
    expect(await agentOf(other, name)).toMatchObject({ name, project: 'Setup', spec: 'get ready' });
    expect(await agentsOf(other)).toEqual([]);
    for (const operation of ['stop_agent', 'restart_agent', 'delete_agent'])
      expect((await failure(other(operation, { agent_name: name }))).code).toBe('INVALID_INPUT');
    expect(await status(own)).toBe('idle');
  });

  it('delivers the first task although the calling process is killed in the middle', async () => {
    const file = signalFile(fleet, 'delivered');
    const input = { project: 'Setup', task: script({ append: file }), name: 'survivor' };
    const asking = spawn(process.execPath, [FLEET, 'call', 'create_agent', JSON.stringify(input)], {
      env: fleet.env,
      stdio: 'ignore',
    });
    await until(async () => (await agentsOf(ask)).some(({ name }) => name === 'survivor'), Boolean);
    asking.kill('SIGKILL');
    await waitIdle(ask, 'survivor');
    expect(readFileSync(file, 'utf8')).toBe('survivor\n');
    expect(await history(ask, 'survivor')).toMatchObject([{ state: 'complete' }]);
  });

  it('goes on after the Coder server was killed and is back, and says so meanwhile', async () => {
    await idleAgent(ask, 'patient');
    process.kill(fleet.coder.pids.coder, 'SIGKILL');
    const error = await failure(ask('show_agent', { agent_name: 'patient' }));
    expect(error.code).toBe('SERVICE_UNAVAILABLE');
    const back = await startRealCoder(fleet.coder.state, LAB);
    writeFileSync(join(fleet.coder.state, 'coder.json'), JSON.stringify(back));
    await until(
      async () => status('patient').catch(() => ''),
      (now) => now === 'idle',
    );
    await ask('start_agent_task', { agent_name: 'patient', task_description: 'again' });
    await waitIdle(ask, 'patient');
    expect(await history(ask, 'patient')).toHaveLength(2);
  });
});
