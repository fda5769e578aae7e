import { chmodSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { FLEET, runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { spawnSync } from 'node:child_process';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, until, type Answer } from '../support/fleets/fleet-under-test.ts';
import { localFleet, processesNaming, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { canMount, coverReadOnly, uncover } from './small-disk.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Setup'] = { ...config.projects['Setup'], sleep_after: '100ms' };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  await idleAgent(ask, 'asleep');
  await until(
    async () => processesNaming(fleet.directory),
    (left) => left.length === 0,
  );
});

/** What a new process changes in a home. */
const WRITES: readonly (readonly string[])[] = [
  ['create', 'Setup', 'a task', '--name', 'new-one'],
  ['task', 'asleep', 'more'],
  ['stop', 'asleep'],
  ['delete', 'asleep'],
  ['token', '--rotate'],
  ['serve', '--port', '0'],
];

describe.skipIf(!canMount)(
  'a read-only home (skipped unless a file system can be mounted: Linux, root)',
  () => {
    it.beforeAll(({ fleet }) => coverReadOnly(fleet.home));
    it.afterAll(({ fleet }) => uncover(fleet.home));

    it.for(WRITES.map((words) => ({ words })))('refuses $words', async ({ words }, { fleet }) => {
      expectRefused(fleet, await runFleet([...words, '--json'], { env: fleet.env }), 'home_read_only');
    });

    it('keeps nobody from looking at those that sleep', async ({ fleet }) => {
      for (const operation of ['list_agents', 'show_agent', 'show_agent_task_history', 'show_agent_log']) {
        const input = operation === 'list_agents' ? {} : { agent_name: 'asleep' };
        const { code, stdout, stderr } = await runFleet(['call', operation, JSON.stringify(input)], {
          env: fleet.env,
        });
        expect({ operation, code, stderr, stdout }).toEqual({
          operation,
          code: 0,
          stderr: '',
          stdout: expect.stringContaining('asleep'),
        });
      }
    });
  },
);

const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const canBeNobody = canMount && spawnSync('setpriv', [...asNobody, 'true']).status === 0;

describe.skipIf(!canBeNobody)('a home of somebody else (skipped unless this is root on Linux)', () => {
  it.for([['list'], ...WRITES].map((words) => ({ words })))('refuses $words', ({ words }, { fleet }) => {
    chmodSync(fleet.directory, 0o755);
    const { status, stdout, stderr } = spawnSync(
      'setpriv',
      [...asNobody, process.execPath, FLEET, ...words, '--json'],
      { env: fleet.env, encoding: 'utf8', cwd: '/' },
    );
    expectRefused(fleet, { code: status, signal: null, stdout, stderr }, 'no_permission');
  });
});

function expectRefused(fleet: LocalFleet, { code, stdout, stderr }: Finished, reason: string): void {
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: expect.any(String), stderr: '' });
  const { error } = JSON.parse(stdout) as { error: { code: string; message: string; details: Answer } };
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason } });
  expect(error.message).toContain(fleet.home);
}
