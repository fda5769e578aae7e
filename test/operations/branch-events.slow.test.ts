import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FleetEvent } from '../../src/domain/fleet-event.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { watchOnce } from '../support/watch-once.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Plain'] = { ...config.projects['DataOne'], default_role: 'shell' };
  }),
);

const AS = 'git -c user.name=A -c user.email=a@localhost';
const commit = (file: string, text: string): string =>
  `echo '${text}' > ${file}; git add .; ${AS} commit --quiet -m '${text}'`;

function eventsOf({ fleet }: LocalFleet, kind: string): readonly FleetEvent[] {
  return (fleet.events?.since('0', 10_000) ?? []).filter((event) => event.kind === kind);
}

const toldOf = (fleet: LocalFleet): unknown[] =>
  eventsOf(fleet, 'conflict').map(({ agent_name, data }) => ({ agent_name, ...data }));

describe('events of branches', () => {
  it('tell of each checkpoint [EVENT-checkpoint]', async ({ fleet, ask }) => {
    await idleAgent(ask, 'steps', { project: 'Plain', task: commit('steps.txt', 'one') });
    await ask('start_agent_task', { agent_name: 'steps', task_description: 'echo two > more.txt' });
    await waitIdle(ask, 'steps');
    const told = await until(
      async () => eventsOf(fleet, 'checkpoint'),
      ({ length }) => length === 2,
    );
    const { checkpoints } = await ask('list_checkpoints', { agent_name: 'steps' });
    expect(told.map(({ agent_name, data }) => ({ agent_name, ...data }))).toEqual(
      (checkpoints as { number: number; commit: string }[])
        .map(({ number, commit: made }) => ({ agent_name: 'steps', number, commit: made }))
        .toReversed(),
    );
    // An update that is refused leaves a checkpoint of the uncommitted work.
    execFileSync('git', ['-C', base(fleet), ...USER, 'commit', '--quiet', '--allow-empty', '-m', 'newer']);
    await expect(ask('update_agent', { agent_name: 'steps' })).rejects.toThrow('uncommitted');
    expect(eventsOf(fleet, 'checkpoint').at(-1)?.data).toMatchObject({ number: 3 });
  });

  it('tell of conflicts that appear and that are gone, once [EVENT-conflict]', async ({ fleet, ask }) => {
    const { opened } = fleet;
    await idleAgent(ask, 'ada', { project: 'Plain', task: commit('both.txt', 'ada') });
    await watchOnce(opened);
    expect(toldOf(fleet)).toEqual([]);
    await idleAgent(ask, 'kay', { project: 'Plain', task: commit('both.txt', 'kay') });
    await watchOnce(opened);
    await watchOnce(opened);
    const between = { agent_name: 'ada', other: 'kay', paths: ['both.txt'], state: 'appeared' };
    expect(toldOf(fleet)).toEqual([between]);
    userCommits(fleet, 'both.txt', 'mine');
    await watchOnce(opened);
    const withBase = ['ada', 'kay'].map((agent_name) => ({ ...between, agent_name, other: null }));
    expect(toldOf(fleet)).toEqual([between, ...withBase]);
    await ask('delete_agent', { agent_name: 'kay', discard_work: true });
    await watchOnce(opened);
    expect(toldOf(fleet).slice(3)).toEqual([
      { ...withBase[1], state: 'gone' },
      { ...between, state: 'gone' },
    ]);
  });

  it('are told by fleet serve, which knows what was told before', async ({ fleet, ask, served }) => {
    expect(served).toBeDefined();
    const before = toldOf(fleet).length;
    await ask('start_agent_task', {
      agent_name: 'ada',
      task_description: `git reset --quiet --hard HEAD~1; ${commit('ada.txt', 'ada')}`,
    });
    const told = await until(
      async () => toldOf(fleet),
      ({ length }) => length > before,
    );
    expect(told.slice(before)).toEqual([
      { agent_name: 'ada', other: null, paths: ['both.txt'], state: 'gone' },
    ]);
  });
});

const USER = ['-c', 'user.name=T', '-c', 'user.email=t@localhost'];

function base({ directory }: LocalFleet): string {
  return join(directory, 'data-one');
}

/** The user commits a file in the project's repository. */
function userCommits(fleet: LocalFleet, file: string, text: string): void {
  writeFileSync(join(base(fleet), file), `${text}\n`);
  execFileSync('git', ['-C', base(fleet), 'add', '.']);
  execFileSync('git', ['-C', base(fleet), ...USER, 'commit', '--quiet', '-m', text]);
}
