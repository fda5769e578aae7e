import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, history, idleAgent, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { makeRepository, type LocalFleet } from '../support/fleets/local-fleet.ts';

const COMMIT = 'git add . && git -c user.name=A -c user.email=a@localhost commit --quiet -m';
let moved: string;

const it = fleetTest();
it.beforeAll(async ({ fleet, ask }) => {
  moved = join(fleet.directory, 'moved here');
  await Promise.all(
    ['asleep', 'live', 'hostile'].map((name) =>
      idleAgent(ask, name, { role: 'shell', task: `echo one > one.txt; ${COMMIT} one` }),
    ),
  );
  for (const agent_name of ['asleep', 'hostile']) await ask('stop_agent', { agent_name });
});

interface Check {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly fix?: string;
}

async function doctor(fleet: LocalFleet, ...args: string[]): Promise<Check[]> {
  const { stdout } = await runFleet(['doctor', '--json', ...args], { env: fleet.env });
  return (JSON.parse(stdout) as { checks: Check[] }).checks;
}

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', moved, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
const setRepository = (fleet: LocalFleet, repository: string): void =>
  fleet.configure((config) => {
    config.projects['Setup'] = { ...config.projects['Setup'], repository };
  });

describe('when the repository of a project is moved', () => {
  it('its agents and the doctor say so, and what to do', async ({ fleet, ask }) => {
    renameSync(fleet.repository, moved);
    const { status_reason } = await agentOf(ask, 'asleep');
    expect(status_reason).toContain(fleet.repository);
    expect(status_reason).toContain('fleet doctor --repair');
    expect((await doctor(fleet)).find(({ name }) => name === 'moved repository')).toMatchObject({
      state: 'fail',
      message: expect.stringMatching(/asleep, hostile, live/),
      fix: expect.stringContaining('fleet doctor --repair'),
    });
  });

  it('nothing is repaired with a repository that does not have the work', async ({ fleet }) => {
    const repairs = async (): Promise<Check[]> =>
      (await doctor(fleet, '--repair')).filter(({ name }) => name.startsWith('repair '));
    expect(await repairs()).toMatchObject([{ state: 'fail' }, { state: 'fail' }, { state: 'fail' }]);
    const other = makeRepository(join(fleet.directory, 'other'));
    writeFileSync(join(other, 'other'), '');
    execFileSync('git', ['-C', other, 'add', '.']);
    execFileSync('git', [
      '-C',
      other,
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--amend',
      '-m',
      'x',
    ]);
    setRepository(fleet, other);
    expect((await repairs())[0]?.message).toContain('another repository');
  });

  it('fleet doctor --repair brings the agents along, and they work again', async ({ fleet, ask }) => {
    const hostile = await agentOf(ask, 'hostile');
    const work = join(fleet.home, 'agents', hostile.workspace_id, 'work');
    const victim = join(fleet.directory, 'victim');
    writeFileSync(victim, 'precious');
    rmSync(join(work, '.git', 'objects', 'info', 'alternates'));
    symlinkSync(victim, join(work, '.git', 'objects', 'info', 'alternates'));
    setRepository(fleet, moved);
    const checks = await doctor(fleet, '--repair');
    const repaired = checks.filter(({ name }) => name.startsWith('repair '));
    expect(repaired).toMatchObject(
      ['asleep', 'hostile', 'live'].map((name) => ({ name: `repair ${name}`, state: 'ok' })),
    );
    expect(checks.some(({ name }) => name === 'moved repository')).toBe(false);
    expect(readFileSync(victim, 'utf8')).toBe('precious');

    await until(
      () => agentOf(ask, 'live'),
      ({ status }) => status === 'idle',
    );
    for (const agent_name of ['asleep', 'live', 'hostile']) {
      expect((await agentOf(ask, agent_name)).status_reason).not.toContain('moved');
      if (agent_name !== 'live') await ask('restart_agent', { agent_name });
      await waitIdle(ask, agent_name);
      const task_description = `git fsck && echo two > two.txt && ${COMMIT} two`;
      await ask('start_agent_task', { agent_name, task_description });
      await waitIdle(ask, agent_name);
      expect((await history(ask, agent_name))[0]).toMatchObject({ state: 'complete' });
      await until(
        async () => git('log', '--format=%s', `fleet/${agent_name}`),
        (subjects) => subjects === 'two\none\nfirst',
      );
    }
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(fleet.repository)).toBe(false);
  });

  it('the doctor finds what nobody uses any more', async ({ fleet }) => {
    git('update-ref', 'refs/fleet/pins/00000000-0000-4000-8000-000000000000', 'main');
    git('update-ref', 'refs/remotes/fleet/nobody', 'main');
    const { message } = (await doctor(fleet)).find(({ name }) => name === 'leftover refs') ?? {};
    expect(message?.split(', ').map((each) => each.replace(/ in .*/, ''))).toEqual([
      'refs/fleet/pins/00000000-0000-4000-8000-000000000000',
      'refs/remotes/fleet/nobody',
    ]);
  });
});
