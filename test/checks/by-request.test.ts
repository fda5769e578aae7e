import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, failure, until, waitIdle, type Answer } from '../support/fleets/fleet-under-test.ts';
import { processesOf, runnerOf } from '../operations/processes-of.ts';
import { agentWith, checked, checkedFleet, commits, holding } from './checked-fleet.ts';

const UUID = 'cat /proc/sys/kernel/random/uuid';
const it = fleetTest(() => checkedFleet({ state: 'cat state.txt; grep -q good state.txt', unique: UUID }));

const outputs = (answer: Answer): unknown[] => (answer['checks'] as Answer[]).map(({ output }) => output);

describe('check_agent', () => {
  it('answers each check with its result, and show_agent_checks the same [OP-check_agent, OP-show_agent_checks]', async ({
    ask,
  }) => {
    await agentWith(ask, 'sony', { state: 'bad' });
    const answer = await ask('check_agent', { agent_name: 'sony' });
    expect(answer).toMatchObject({
      agent_name: 'sony',
      commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      state: 'failing',
      checks: [
        {
          name: 'state',
          state: 'failing',
          exit_code: 1,
          took_ms: expect.any(Number) as number,
          output: 'bad',
        },
        { name: 'unique', state: 'passing', exit_code: 0, checked_at: expect.any(String) as string },
      ],
    });
    expect(await ask('show_agent_checks', { agent_name: 'sony' })).toEqual(answer);
    expect(await ask('check_agent', { agent_name: 'sony' })).toEqual(answer);
    const again = await ask('check_agent', { agent_name: 'sony', names: ['unique'], again: true });
    expect(outputs(again)).toHaveLength(1);
    expect(outputs(again)[0]).not.toBe(outputs(answer)[1]);
    expect(outputs(await ask('show_agent_checks', { agent_name: 'sony' }))).toEqual([
      'bad',
      ...outputs(again),
    ]);
  });

  it('of an agent without checks, or of an unknown one, says what to do [OP-check_agent-none]', async ({
    ask,
  }) => {
    await agentWith(ask, 'none', { state: 'x', project: 'DataOne', task: 'hello' });
    for (const operation of ['check_agent', 'show_agent_checks']) {
      const error = await failure(ask(operation, { agent_name: 'none' }));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'no_checks' } });
      expect(error.message).toContain('fleet.yaml under projects: DataOne: checks:');
    }
    expect(await agentOf(ask, 'none')).toMatchObject({ checks: null });
    const unknown = await failure(ask('check_agent', { agent_name: 'sony', names: 'tests' }));
    expect(unknown).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'names' } });
    expect(unknown.message).toContain('It has: state, unique.');
  });

  it('runs the checks that fleet.yaml has when the agent is restarted [CFG-checks]', async ({
    fleet,
    ask,
  }) => {
    await agentWith(ask, 'papi', { state: 'good', spec: 'checks: [{name: mine, run: "true"}]' });
    await checked(ask, 'papi', 'passing');
    const names = async (): Promise<unknown[]> =>
      ((await ask('show_agent_checks', { agent_name: 'papi' }))['checks'] as Answer[]).map(
        ({ name }) => name,
      );
    expect(await names()).toEqual(['state', 'unique', 'mine']);
    let before: unknown;
    fleet.configure((config) => {
      before = config.projects['Setup']?.['checks'];
      Object.assign(config.projects['Setup'] ?? {}, { checks: { other: 'exit 7' } });
    });
    expect(await names()).toEqual(['state', 'unique', 'mine']);
    await ask('restart_agent', { agent_name: 'papi' });
    await waitIdle(ask, 'papi');
    expect(await names()).toEqual(['other', 'mine']);
    expect(await ask('check_agent', { agent_name: 'papi' })).toMatchObject({
      state: 'failing',
      checks: [{ name: 'other', exit_code: 7 }, { name: 'mine' }],
    });
    fleet.configure((config) => Object.assign(config.projects['Setup'] ?? {}, { checks: before }));
  });

  it('of an offline agent says how to start it, and of a sleeping one wakes it [OP-check_agent]', async ({
    ask,
  }) => {
    await agentWith(ask, 'rest', { state: 'good' });
    await checked(ask, 'rest', 'passing');
    await ask('stop_agent', { agent_name: 'rest' });
    const error = await failure(ask('check_agent', { agent_name: 'rest', again: true }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'agent_offline' } });
    expect(await ask('show_agent_checks', { agent_name: 'rest' })).toMatchObject({ state: 'passing' });
  });
});

describe('fleet check', () => {
  it('prints each check, what failed, and exits by it [CLI-check]', async ({ fleet, ask }) => {
    await agentWith(ask, 'cli', { state: 'bad' });
    const failing = await runFleet(['check', 'cli'], { env: fleet.env });
    expect(failing.code).toBe(1);
    expect(failing.stdout).toMatch(
      /^commit [0-9a-f]{12}\nstate {3}failing \(.* s, exit code 1\)\nunique {2}passing \(.*\)\n\nstate\nbad\n$/,
    );
    await ask('start_agent_task', { agent_name: 'cli', task_description: commits('good') });
    await waitIdle(ask, 'cli');
    const { code, stdout } = await runFleet(['check', 'cli', 'state', '--json'], { env: fleet.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'passing', checks: [{ name: 'state' }] });
  });
});

describe.skipIf(process.platform !== 'linux')('a run of checks', () => {
  it('goes on when the one who waits for it goes away [OP-check_agent-goes-on]', async ({ fleet, ask }) => {
    const hold = holding(fleet, 'long');
    const spec = `checks: [{name: held, run: ${JSON.stringify(hold.line)}}]`;
    await agentWith(ask, 'long', { state: 'good', spec });
    await checked(ask, 'long', 'running');
    const waiting = spawn(process.execPath, [FLEET, 'check', 'long'], { env: fleet.env, stdio: 'pipe' });
    let said = '';
    waiting.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(waiting.stderr, 'data');
    waiting.kill('SIGINT');
    await once(waiting, 'close');
    expect(said).toContain('The checks go on.');
    expect(await ask('show_agent_checks', { agent_name: 'long' })).toMatchObject({
      state: 'running',
      checks: [{ state: 'passing' }, { state: 'passing' }, { name: 'held', state: 'running' }],
    });
    hold.release();
    await checked(ask, 'long', 'passing');
  });

  it('ends with its runner, and runs again with the next one [CHECK-killed]', async ({ fleet, ask }) => {
    const hold = holding(fleet, 'killed');
    const spec = `checks: [{name: held, run: ${JSON.stringify(hold.line)}}]`;
    const { workspace_id } = await agentWith(ask, 'killed', { state: 'good', spec });
    await checked(ask, 'killed', 'running');
    await until(
      async () => processesOf(fleet, workspace_id).length,
      (count) => count > 2,
    );
    process.kill(runnerOf(fleet, workspace_id) ?? 0, 'SIGKILL');
    const cut = await until(
      () => agentOf(ask, 'killed'),
      ({ checks }) => checks?.state !== 'running',
    );
    expect(cut).toMatchObject({ checks: { state: 'not_run' }, needs_attention: false });
    await until(
      async () => processesOf(fleet, workspace_id),
      (found) => found.length === 0,
    );
    hold.release();
    expect(await ask('check_agent', { agent_name: 'killed' })).toMatchObject({ state: 'passing' });
  });
});
