import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FleetLogins } from '../../src/agents/fleet-logins.ts';
import { AgentRows } from '../../src/backends/local/records/agent-rows.ts';
import { Store } from '../../src/store/store.ts';
import { unlikeRows } from './escape-rows.ts';
import { asUser, ContainedFleet, LEVELS, why, type Level } from './level.ts';

const USES = [
  'write in its workspace',
  'commit',
  'have a terminal of its own',
  'use the usual devices',
  'report',
  'queue a task for itself',
  'see the processes of its own alone',
];

/** What is refused whatever the level: the runner itself says no. */
const REFUSED = ['stop itself by its own socket', 'cancel its task by its own socket'];

describe.each(LEVELS.filter(({ sealed }) => sealed))('an agent $name', (level) => {
  it.skipIf(level.skip !== undefined)(`reaches nothing of the fleet but itself${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    await using _terminal = await terminalOf(level);
    const outcomes = tried(fleet, 'trying');
    expect(unlikeRows(outcomes, { user: fleet.user, uses: USES })).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(39);
  });
});

describe.each(LEVELS.filter(({ uid }) => uid === undefined))('an agent $name', (level) => {
  const open = level.sealed ? 'whose role gives the containment up' : 'that nothing hides the home from';
  it.skipIf(level.skip !== undefined)(`${open} reaches what its user does${why(level)}`, async () => {
    await using fleet = new ContainedFleet(level);
    const outcomes = tried(fleet, level.sealed ? 'open' : 'trying');
    expect(outcomes).toMatchObject({
      'read the token': 'yes',
      'read the login of a coding agent': 'yes',
      'write to the store': 'yes',
      'list another workspace': 'yes',
      'reach another runner': 'yes',
      'send a signal to the runner': 'yes',
      'use the fleet as its owner': 'yes',
    });
    for (const what of REFUSED) expect(outcomes[what]).toContain('no');
  });
});

/** A terminal of the agent's user, in use while the agent runs. */
async function terminalOf({ uid }: Level): Promise<AsyncDisposable> {
  const [file, ...args] = [
    ...asUser(uid),
    'script',
    '--quiet',
    '--command',
    'echo open; exec sleep 600',
    '/dev/null',
  ];
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' });
  await once(child.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Each way out, and what came of it. */
function tried(fleet: ContainedFleet, role: string): Record<string, string> {
  fleet.fleet('token');
  new FleetLogins(fleet.home).write('claude', 'a-token');
  fleet.give(fleet.home);
  const other = fleet.create('other', 'shell', 'true');
  fleet.create('trying', role, '{}');
  using store = new Store(fleet.home);
  const runner = new AgentRows(store).byName('trying')?.runner?.pid;
  const task = JSON.stringify({ home: fleet.home, other, runner });
  fleet.call('start_agent_task', { agent_name: 'trying', task_description: task });
  fleet.idle('trying');
  rmSync(join(fleet.home, 'planted'), { force: true });
  return fleet.outcomes('trying');
}
