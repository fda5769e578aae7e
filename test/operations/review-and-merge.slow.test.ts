import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, processesNaming, type LocalFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    Object.assign(config.projects['Setup'] ?? {}, { default_role: 'shell', checks: { tests: 'sh test.sh' } });
    config.projects['Plain'] = { ...config.projects['DataOne'], default_role: 'shell' };
  }),
);

const AS = 'git -c user.name=A -c user.email=a@localhost';
const commit = (file: string, text: string): string =>
  `echo '${text}' > ${file}; git add .; ${AS} commit --quiet -m '${text}'`;

function git(repository: string, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
    },
  ).trim();
}

/** The user commits a file in the project's repository. */
function userCommits(repository: string, file: string, text: string): void {
  writeFileSync(join(repository, file), `${text}\n`);
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', text);
}

async function worker(ask: Ask, name: string, task: string, project = 'Plain'): Promise<void> {
  await idleAgent(ask, name, { project, role: 'shell', task });
}

function plainRepository(fleet: LocalFleet): string {
  return join(fleet.directory, 'data-one');
}

describe('conflicts', () => {
  it('are found between agents and with the base, with the files [OP-list_conflicts]', async ({
    fleet,
    ask,
  }) => {
    const repository = plainRepository(fleet);
    await worker(ask, 'ada', commit('both.txt', 'ada'));
    await worker(ask, 'kay', commit('both.txt', 'kay'));
    await worker(ask, 'milo', commit('milo.txt', 'milo'));
    const names = { agent_names: ['ada', 'kay', 'milo'] };
    expect(await ask('list_conflicts', names)).toMatchObject({
      conflicts: [{ agent: 'ada', other: 'kay', paths: ['both.txt'] }],
      left_out: [],
    });
    userCommits(repository, 'milo.txt', 'mine');
    expect((await ask('list_conflicts', names))['conflicts']).toEqual([
      { agent: 'milo', other: null, paths: ['milo.txt'] },
      { agent: 'ada', other: 'kay', paths: ['both.txt'] },
    ]);
    await ask('delete_agent', { agent_name: 'kay', discard_work: true });
    await ask('delete_agent', { agent_name: 'milo', discard_work: true });
  });
});

describe('a forecast', () => {
  it('says who merges, who conflicts, and whose work breaks a check [OP-start_forecast]', async ({
    fleet,
    ask,
  }) => {
    userCommits(fleet.repository, 'test.sh', 'test ! -e broken');
    await worker(ask, 'one', commit('one.txt', 'one'), 'Setup');
    await worker(ask, 'two', commit('broken', 'two'), 'Setup');
    await worker(ask, 'three', commit('one.txt', 'three'), 'Setup');
    await worker(ask, 'four', commit('four.txt', 'four'), 'Setup');
    const before = git(fleet.repository, 'for-each-ref');
    const first = await ask('start_forecast', { project: 'Setup' });
    const answer = await until(
      () => ask('show_forecast', { project: 'Setup' }),
      ({ state }) => state === 'done',
    );
    expect(answer).toMatchObject({
      order: ['one', 'two', 'four', 'three'],
      merged: ['one', 'two', 'four'],
      conflicts: [{ agent: 'three', with: ['one'], paths: ['one.txt'] }],
      checks: [{ name: 'tests', state: 'failing', broken_by: 'two' }],
    });
    expect(first['project']).toBe('Setup');
    expect(git(fleet.repository, 'for-each-ref')).toBe(before);
    expect((await failure(ask('show_forecast', { project: 'DataOne' }))).details['reason']).toBe(
      'no_forecast',
    );
  });

  it('comes before landing, which runs the checks on the merged tree [OP-land_agents]', async ({
    fleet,
    ask,
  }) => {
    const answer = await ask('land_agents', { agent_names: 'one,two,three,four' });
    expect(answer['results']).toMatchObject([
      { agent_name: 'one', state: 'landed', reason: null },
      { agent_name: 'two', state: 'failed', reason: 'checks_failed', after: null },
      { agent_name: 'three', state: 'failed', reason: 'conflicts', after: null },
      { agent_name: 'four', state: 'landed', reason: null },
    ]);
    expect(answer['message']).toBe('2 landed, 2 failed');
    const files = git(fleet.repository, 'ls-tree', '--name-only', 'main').split('\n');
    expect(files.filter((file) => /one|four|broken/.test(file))).toEqual(['four.txt', 'one.txt']);
    const assigned = await failure(ask('land_agent', { agent_name: 'two', assign_to_agent: true }));
    expect(assigned.details).toMatchObject({ reason: 'checks_failed', checks: ['tests'] });
    const [task] = await history(ask, 'two');
    expect(task?.['message']).toContain('the check tests failed');
  });
});

describe('a landing whose process is killed in the middle of its checks', () => {
  it('changes nothing, is reported as interrupted, and can be repeated', async ({ fleet, ask }) => {
    // Only the merged tree has both files.
    userCommits(fleet.repository, 'test.sh', 'test ! -e slow.txt -o ! -e other.txt || exec sleep 1961');
    await worker(ask, 'slow', commit('slow.txt', 'slow'), 'Setup');
    await until(
      () => agentOf(ask, 'slow'),
      ({ checks }) => checks?.state === 'passing',
    );
    userCommits(fleet.repository, 'other.txt', 'moves the base, so that the merged tree is another one');
    const before = git(fleet.repository, 'rev-parse', 'main');
    const landing = ask('land_agent', { agent_name: 'slow' }).catch((thrown: unknown) => thrown);
    await killWhileChecking(fleet, 'sleep 1961');
    expect(await landing).toMatchObject({ details: { reason: 'interrupted' } });
    expect(git(fleet.repository, 'rev-parse', 'main')).toBe(before);
    expect(git(fleet.repository, 'status', '--short')).toBe('');
    expect(await ask('land_agent', { agent_name: 'slow', skip_checks: true })).toMatchObject({
      state: 'landed',
    });
  });
});

describe('a forecast whose process is killed in the middle of its checks', () => {
  it('is done without them, and the next request makes it again', async ({ fleet, ask }) => {
    userCommits(fleet.repository, 'test.sh', 'test ! -e left.txt -o ! -e right.txt || exec sleep 1962');
    await worker(ask, 'left', commit('left.txt', 'left'), 'Setup');
    await worker(ask, 'right', commit('right.txt', 'right'), 'Setup');
    const forecast = { project: 'Setup', agent_names: ['left', 'right'] };
    for (let round = 0; round < 2; round++) {
      const started = ask('start_forecast', forecast);
      await killWhileChecking(fleet, 'sleep 1962');
      expect(await started).toMatchObject({ state: 'done', checks: [{ name: 'tests', state: 'not_run' }] });
    }
  });
});

/** Kills the process that lands or forecasts, once its checks have come to a command. */
async function killWhileChecking(fleet: LocalFleet, command: string): Promise<void> {
  const [check = 0] = await until(
    async () =>
      readdirSync('/proc')
        .map(Number)
        .filter((pid) => commandOf(pid) === `${command} `),
    (pids) => pids.length > 0,
  );
  for (const pid of processesNaming(fleet.directory))
    if (commandOf(pid).includes('merge-main')) process.kill(pid, 'SIGKILL');
  await until(
    async () => commandOf(check),
    (now) => now === '',
  );
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

describe('an agent that runs a team', () => {
  it('can review and update its team, and land nothing', async ({ fleet, ask }) => {
    const boss = askAs(fleet.fleet, {
      principal: { kind: 'agent', name: 'boss' },
      door: 'self',
      source: 'agent',
      scopes: new Set(['read', 'operate']),
      team: { of: 'boss', agents: 1, depth: 3 },
    });
    await worker(ask, 'boss', 'true');
    await worker(boss, 'member', commit('member.txt', 'member'));
    const before = git(plainRepository(fleet), 'rev-parse', 'main');
    for (const [operation, input] of [
      ['land_agent', { agent_name: 'member' }],
      ['land_agents', { agent_names: 'member' }],
      ['undo_land', { land_id: 'x' }],
    ] as const) {
      const { code, details } = await failure(boss(operation, input));
      expect([operation, code, details['reason']]).toEqual([operation, 'FORBIDDEN', 'not_for_agents']);
    }
    expect(git(plainRepository(fleet), 'rev-parse', 'main')).toBe(before);
    expect(await boss('update_agent', { agent_name: 'member' })).toMatchObject({ agent_name: 'member' });
    const full = await failure(boss('fork_agent', { agent_name: 'member', task: 'true' }));
    expect(full.details['reason']).toBe('team_full');
    expect((await failure(boss('update_agent', { agent_name: 'boss' }))).code).toBe('FORBIDDEN');
  });
});

describe('an update', () => {
  it('brings the base into the branch, and a conflict changes nothing [OP-update_agent]', async ({
    fleet,
    ask,
  }) => {
    const repository = plainRepository(fleet);
    await worker(ask, 'upper', commit('upper.txt', 'upper'));
    userCommits(repository, 'base.txt', 'newer');
    const { head } = await ask('update_agent', { agent_name: 'upper' });
    expect(git(repository, 'merge-base', '--is-ancestor', 'main', String(head))).toBe('');
    expect(git(repository, 'rev-parse', 'fleet/upper')).toBe(head);
    userCommits(repository, 'upper.txt', 'mine');
    const conflict = await failure(ask('update_agent', { agent_name: 'upper' }));
    expect(conflict.details).toMatchObject({ reason: 'conflicts', paths: ['upper.txt'] });
    expect(git(repository, 'rev-parse', 'fleet/upper')).toBe(head);
    const assigned = await failure(ask('update_agent', { agent_name: 'upper', assign_to_agent: true }));
    expect(assigned.details['task_id']).toEqual(expect.any(String));
    await waitIdle(ask, 'upper');
    // The agent has the newer base now, and resolves it.
    await ask('start_agent_task', {
      agent_name: 'upper',
      task_description: `${AS} merge --quiet main; ${commit('upper.txt', 'both')}`,
    });
    await waitIdle(ask, 'upper');
    expect(await ask('land_agent', { agent_name: 'upper' })).toMatchObject({ state: 'landed', into: 'main' });
    expect(readFileSync(join(repository, 'upper.txt'), 'utf8')).toBe('both\n');
  });

  it('refuses uncommitted work by its paths, and a busy agent', async ({ fleet, ask }) => {
    await worker(ask, 'dirty', 'echo x > x.txt');
    userCommits(plainRepository(fleet), 'again.txt', 'again');
    const dirty = await failure(ask('update_agent', { agent_name: 'dirty' }));
    expect(dirty.details).toMatchObject({ reason: 'uncommitted', paths: ['x.txt'] });
    await ask('start_agent_task', { agent_name: 'dirty', task_description: 'sleep 30' });
    expect((await failure(ask('update_agent', { agent_name: 'dirty' }))).details['reason']).toBe('busy');
    expect((await failure(ask('land_agent', { agent_name: 'dirty' }))).details['reason']).toBe('busy');
    await ask('cancel_agent_task', { agent_name: 'dirty' });
  });
});

describe('checkpoints', () => {
  it('are listed with what each task changed [OP-list_checkpoints]', async ({ ask }) => {
    await worker(ask, 'steps', commit('a.txt', 'one'));
    await ask('start_agent_task', { agent_name: 'steps', task_description: 'echo two > b.txt' });
    await waitIdle(ask, 'steps');
    const { checkpoints } = await until(
      () => ask('list_checkpoints', { agent_name: 'steps' }),
      ({ total_count }) => total_count === 2,
    );
    expect(checkpoints).toMatchObject([
      { number: 2, files: 1, insertions: 1, left_out: [] },
      { number: 1, files: 1, insertions: 1 },
    ]);
  });

  it('are where a new agent can start, and the other one stays [OP-fork_agent]', async ({ ask }) => {
    const task = 'cat a.txt b.txt; git log --oneline | wc -l';
    await ask('fork_agent', { agent_name: 'steps', checkpoint: 1, task, name: 'early' });
    await ask('fork_agent', { agent_name: 'steps', task, name: 'late' });
    await waitIdle(ask, 'early', 'late');
    const [early] = await history(ask, 'early');
    const [late] = await history(ask, 'late');
    expect(String(early?.['result'])).toContain('b.txt');
    expect(String(late?.['result'])).toContain('two');
    expect((await agentOf(ask, 'steps')).status).toBe('idle');
    const wrong = await failure(ask('fork_agent', { agent_name: 'steps', checkpoint: 9, task }));
    expect([wrong.code, wrong.details['reason']]).toEqual(['INVALID_INPUT', 'no_checkpoint']);
  });

  it('start a new agent with the spec that the other one was given, and its checks', async ({ ask }) => {
    const spec = 'objective: a file\nchecks:\n  - test -e spec.txt\n';
    const made = async (operation: string, input: Answer): Promise<string> => {
      const { name } = (await ask(operation, input))['agent'] as AgentView;
      await waitIdle(ask, name);
      return name;
    };
    const given = await made('create_agent', { project: 'Plain', task: 'echo a > spec.txt', spec });
    await until(
      () => ask('list_checkpoints', { agent_name: given }),
      ({ total_count }) => total_count === 1,
    );
    const heir = await made('fork_agent', { agent_name: given, task: 'echo "$FLEET_SPEC"' });
    const [task] = await history(ask, heir);
    expect(task).toMatchObject({
      message: 'echo "$FLEET_SPEC"',
      result: expect.stringContaining('objective: a file') as string,
    });
    expect((await agentOf(ask, heir)).spec).toBe(spec);
    const { checks } = await ask('show_agent_checks', { agent_name: heir });
    expect(checks).toMatchObject([{ name: 'test -e spec.txt' }]);
  });
});

describe('a race', () => {
  it('gives one task to several agents [OP-race_agents]', async ({ ask }) => {
    const answer = await ask('race_agents', {
      project: 'Plain',
      task: commit('race.txt', 'done'),
      roles: ['shell'],
      count: 2,
    });
    const agents = answer['agents'] as { name: string; role: string }[];
    expect(agents.map(({ role }) => role)).toEqual(['shell', 'shell']);
    await waitIdle(ask, ...agents.map(({ name }) => name));
  });

  it('is ranked by the work [OP-compare_agents]', async ({ ask }) => {
    await worker(ask, 'small', commit('s.txt', 'x'));
    await worker(ask, 'large', `seq 50 > l.txt; git add .; ${AS} commit --quiet -m large`);
    await worker(ask, 'idler', 'true');
    const { ranking } = await ask('compare_agents', { agent_names: 'idler,large,small' });
    expect(ranking).toMatchObject([
      { agent_name: 'small', files: 1, insertions: 1 },
      { agent_name: 'large', insertions: 50 },
      { agent_name: 'idler', files: 0 },
    ]);
    expect((await failure(ask('compare_agents', { agent_names: 'small' }))).code).toBe('INVALID_INPUT');
  });
});
