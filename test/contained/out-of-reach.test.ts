import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentRows } from '../../src/backends/local/agent-rows.ts';
import { Store } from '../../src/store/store.ts';
import { ContainedFleet, LEVELS, why } from './level.ts';

const USES = [
  'write in its worktree',
  'commit',
  'report',
  'queue a task for itself',
  'see the processes of its own alone',
];

/** What is refused whatever the level: the runner itself says no. */
const REFUSED = ['stop itself by its own socket', 'cancel its task by its own socket'];

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(`reaches nothing of the fleet but itself${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    const outcomes = tried(fleet, 'trying');
    const got = Object.entries(outcomes).filter(([, outcome]) => outcome === 'yes');
    expect(got.map(([what]) => what).toSorted()).toEqual(USES.toSorted());
    expect(Object.keys(outcomes)).toHaveLength(33);
  });
});

describe.each(LEVELS.filter(({ uid }) => uid === undefined))('an agent $name', (level) => {
  const open = level.sealed ? 'whose role gives the containment up' : 'that nothing hides the home from';
  it.skipIf(level.skip !== undefined)(`${open} reaches what its user does${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    const outcomes = tried(fleet, level.sealed ? 'open' : 'trying');
    expect(outcomes).toMatchObject({
      'read the token': 'yes',
      'write to the store': 'yes',
      'list another worktree': 'yes',
      'reach another runner': 'yes',
      'send a signal to the runner': 'yes',
      'use the fleet as its owner': 'yes',
    });
    for (const what of REFUSED) expect(outcomes[what]).toContain('no');
  });
});

/** Each way out, and what came of it. */
function tried(fleet: ContainedFleet, role: string): Record<string, string> {
  fleet.fleet('token');
  const other = fleet.create('other', 'shell', 'true');
  fleet.create('trying', role, '{}');
  using store = new Store(fleet.home);
  const runner = new AgentRows(store).byName('trying')?.runner?.pid;
  const task = JSON.stringify({ home: fleet.home, other, runner });
  fleet.call('start_agent_task', { agent_name: 'trying', task_description: task });
  fleet.idle('trying');
  rmSync(join(fleet.home, 'planted'), { force: true });
  return Object.fromEntries(
    fleet.lines('trying').map((line) => {
      const { what, outcome } = JSON.parse(line) as { what: string; outcome: string };
      return [what, outcome] as const;
    }),
  );
}
