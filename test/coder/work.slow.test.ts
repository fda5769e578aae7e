import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  failure,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { coderFleet } from '../support/fleets/coder-fleet.ts';
import { askAs } from '../support/fleets/fleet-under-test.ts';
import { coderWorkPlace, type CoderWorkPlace } from '../support/places/work-place.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';
const COMMIT = `echo one > one.txt; git add .; ${AS} commit --quiet -m one`;

/** Every operation that needs the repository of an agent. */
const WORK: Readonly<Record<string, Answer>> = {
  show_agent_diff: {},
  list_checkpoints: {},
  show_agent_checks: {},
  check_agent: {},
  update_agent: {},
  publish_agent: {},
  fork_agent: { name: 'fork-of-it', task: 'true' },
};

let place: CoderWorkPlace;
beforeAll(async () => {
  place = await coderWorkPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const worker = (name: string, input: Answer = {}) =>
  idleAgent(place.ask, name, { role: 'coder', task: COMMIT, spec: 'checks: ["true"]', ...input });
const failures = async (name: string): Promise<Record<string, unknown>> => {
  const found: [string, unknown][] = [];
  for (const [operation, input] of Object.entries(WORK)) {
    const { code, details, message } = await failure(place.ask(operation, { agent_name: name, ...input }));
    found.push([operation, { code, reason: details.reason, message }]);
  }
  return Object.fromEntries(found);
};
const all = (expected: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(WORK).map((operation) => [operation, expect.objectContaining(expected)]));

describe('review and merge on Coder', () => {
  it('of a stopped agent says how to start it, and a restart loses nothing [CODER-work-offline]', async () => {
    await worker('stopi');
    const { checkpoints: before } = await place.ask('list_checkpoints', { agent_name: 'stopi' });
    await place.ask('stop_agent', { agent_name: 'stopi' });
    expect(await failures('stopi')).toEqual(
      all({
        code: 'INVALID_INPUT',
        reason: 'agent_offline',
        message: expect.stringContaining('restart_agent') as string,
      }),
    );
    await place.ask('restart_agent', { agent_name: 'stopi' });
    await until(
      () => agentOf(place.ask, 'stopi'),
      ({ status }) => status === 'idle',
    );
    expect(await place.ask('list_checkpoints', { agent_name: 'stopi' })).toMatchObject({
      checkpoints: before,
    });
    expect(await place.ask('show_agent_diff', { agent_name: 'stopi' })).toMatchObject({
      files: [{ path: 'one.txt' }],
    });
  });

  it('tells of each checkpoint, once [EVENT-checkpoint]', async () => {
    await worker('events');
    await place.ask('start_agent_task', { agent_name: 'events', task_description: 'echo two > two.txt' });
    await waitIdle(place.ask, 'events');
    const told = await until(
      async () => {
        await agentOf(place.ask, 'events');
        const all = place.fleet.fleet.events?.since('0', 10_000) ?? [];
        return all.filter(({ kind, agent_name }) => kind === 'checkpoint' && agent_name === 'events');
      },
      ({ length }) => length >= 2,
    );
    const { checkpoints } = await place.ask('list_checkpoints', { agent_name: 'events' });
    expect(told.map(({ data }) => data)).toEqual(
      (checkpoints as Answer[]).map(({ number, commit }) => ({ number, commit })).toReversed(),
    );
  });

  it('with a runner of an older version says what to update, and tasks go on [CODER-work-older]', async () => {
    await worker('oldi');
    place.fleet.standIn.manners.older = true;
    expect(await failures('oldi')).toEqual(
      all({
        code: 'SERVICE_UNAVAILABLE',
        reason: 'runner_api',
        message: expect.stringMatching(/older version.*fleet_package.*restart_agent/) as string,
      }),
    );
    await place.ask('start_agent_task', { agent_name: 'oldi', task_description: 'echo still here' });
    await waitIdle(place.ask, 'oldi');
    place.fleet.standIn.manners.older = false;
    expect((await logOf(place.ask, 'oldi')).map(({ message }) => message)).toContain('still here');
  });

  it('runs the checks that fleet.yaml has when the agent is restarted [CFG-checks]', async () => {
    await idleAgent(place.ask, 'freshi', { role: 'coder', task: COMMIT });
    expect(await failure(place.ask('check_agent', { agent_name: 'freshi' }))).toMatchObject({
      details: { reason: 'no_checks' },
    });
    const file = join(place.fleet.directory, 'fleet.yaml');
    const config = readFileSync(file, 'utf8');
    const setup = 'setup: echo prepared > prepared.txt';
    writeFileSync(
      file,
      `${config}projects:\n  Setup: { template: setup, ${setup}, checks: { made: test -f prepared.txt, one: test -f one.txt } }\n`,
    );
    await place.ask('restart_agent', { agent_name: 'freshi' });
    await until(
      () => agentOf(place.ask, 'freshi'),
      ({ status }) => status === 'idle',
    );
    expect(await place.ask('check_agent', { agent_name: 'freshi' })).toMatchObject({
      state: 'passing',
      checks: [
        { name: 'made', state: 'passing' },
        { name: 'one', state: 'passing' },
      ],
    });
    // The workspace itself is prepared by its template.
    expect(await place.ask('show_agent_diff', { agent_name: 'freshi' })).toMatchObject({ total_files: 1 });
    writeFileSync(file, config);
  });

  it('hands failing checks back to an agent whose role says so [CHECK-retries]', async () => {
    const { presets } = place.fleet.standIn.templates[0] ?? { presets: [] };
    const shell = presets.find(({ name }) => name === 'coder');
    const parameters = shell?.parameters as Record<string, string>;
    const role = parameters['fleet_role'] ?? '';
    parameters['fleet_role'] = JSON.stringify({ ...(JSON.parse(role) as object), check_retries: 1 });
    await worker('handi', { spec: 'checks: ["test -f never.txt"]' });
    const { tasks } = await until(
      () => place.ask('show_agent_task_history', { agent_name: 'handi' }),
      (answer) => (answer['tasks'] as Answer[]).length === 2,
    );
    expect((tasks as Answer[])[0]).toMatchObject({
      source: 'agent',
      message: expect.stringContaining('test -f never.txt') as string,
    });
    parameters['fleet_role'] = role;
    await waitIdle(place.ask, 'handi');
  });

  it('of an agent on a branch that does not exist fails with what git says', async () => {
    await place.ask('create_agent', {
      project: 'Setup',
      role: 'coder',
      name: 'lost',
      task: 'true',
      branch: 'no-such-branch',
    });
    const failed = await until(
      () => agentOf(place.ask, 'lost'),
      ({ status }) => status === 'failed',
    );
    expect(failed.status_reason).toContain('no-such-branch');
    await place.ask('delete_agent', { agent_name: 'lost', discard_work: true });
  });

  it('pushes with the login of the workspace, which never has the token of the forge [CODER-work-login]', async () => {
    await worker('logi');
    expect(await place.ask('publish_agent', { agent_name: 'logi' })).toMatchObject({ pushed: true });
    const workspace = place.fleet.workspaceOf('logi');
    const { token } = place.forge;
    const found = execFileSync(
      'sh',
      ['-c', 'grep -rl "$1" "$2" || true', 'sh', token, join(workspace.projectDirectory, '..')],
      { encoding: 'utf8' },
    );
    expect(found).toBe('');
    const environment = readFileSync(`/proc/${workspace.runnerPid ?? 0}/environ`, 'utf8');
    expect(environment).not.toContain(token);
  });
});

it('a workspace without a repository says so, and its tasks run as before [CODER-work-no-repository]', async () => {
  await using bare = await coderFleet();
  const ask = askAs(bare.fleet);
  await idleAgent(ask, 'bare', { role: 'coder', task: 'echo hello', spec: 'checks: ["true"]' });
  for (const [operation, input] of Object.entries(WORK))
    expect([operation, await failure(ask(operation, { agent_name: 'bare', ...input }))]).toEqual([
      operation,
      expect.objectContaining({
        code: 'INVALID_INPUT',
        details: { field: 'agent_name', reason: 'no_repository' },
      }),
    ]);
  const log = (await logOf(ask, 'bare')).map(({ message }) => String(message));
  expect(log).toContain('hello');
  expect(log.filter((line) => line.includes('checkpoint'))).toEqual([]);
});
