import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetError } from '../../src/domain/values/errors.ts';
import { heldTask, type HeldTask } from '../operations/held-task.ts';
import { runnerOf } from '../operations/processes-of.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { canMount, empty, fill, SMALL_DISK } from './small-disk.ts';

let fleet: LocalFleet;
let ask: Ask;
let ids: Record<string, string>;

/** What changes something, each by a way of its own. */
const WRITES: readonly (readonly [string, Answer])[] = [
  ['create_agent', { project: 'Setup', name: 'new-one', task: 'nothing' }],
  ['start_agent_task', { agent_name: 'idle', task_description: 'more' }],
  ['start_agent_task', { agent_name: 'busy', task_description: 'more', when_busy: 'queue' }],
  ['start_agent_task', { agent_name: 'asleep', task_description: 'more' }],
  ['cancel_agent_task', { agent_name: 'busy' }],
  ['set_agent_metadata', { agent_name: 'idle', key: 'fleet_mcp_x', value: 'y' }],
  ['set_agent_metadata', { agent_name: 'stopped', key: 'fleet_mcp_x', value: 'y' }],
  ['stop_agent', { agent_name: 'idle' }],
  ['restart_agent', { agent_name: 'stopped' }],
  ['delete_agent', { agent_name: 'stopped' }],
  ['delete_agent', { agent_name: 'busy' }],
];

describe.skipIf(!canMount)('a full disk (skipped unless a file system can be mounted: Linux, root)', () => {
  beforeAll(async () => {
    fleet = localFleet((config) => {
      config.projects['Sleepy'] = { ...config.projects['Setup'], sleep_after: '100ms' };
    }, SMALL_DISK);
    ask = askAs(fleet.fleet);
    await Promise.all([
      idleAgent(ask, 'idle'),
      idleAgent(ask, 'busy'),
      idleAgent(ask, 'stopped'),
      idleAgent(ask, 'asleep', { project: 'Sleepy' }),
    ]);
    await ask('stop_agent', { agent_name: 'stopped' });
    ids = Object.fromEntries((await agentsOf(ask)).map(({ name, workspace_id }) => [name, workspace_id]));
    await until(
      async () => runnerOf(fleet, ids['asleep'] ?? '') ?? runnerOf(fleet, ids['stopped'] ?? ''),
      (left) => left === undefined,
    );
    await until(
      () => agentsOf(ask),
      (agents) => agents.every(({ git }) => git !== null),
    );
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  describe('while it is full', () => {
    let held: HeldTask;
    let before: unknown;
    let runners: unknown;

    beforeAll(async () => {
      held = await heldTask(ask, { directory: fleet.directory, agent_name: 'busy' });
      before = await everything();
      runners = Object.values(ids).map((id) => runnerOf(fleet, id));
      fill(fleet.home);
    });
    afterAll(() => empty(fleet.home));

    it.each(
      WRITES.map(([operation, input]) => ({ operation, input, to: String(input['agent_name'] ?? '') })),
    )(
      'refuses $operation $to with the file and what to do, and changes nothing',
      async ({ operation, input }) => {
        expectFull(await failure(ask(operation, input)));
        expect(await everything()).toEqual(before);
      },
    );

    it('is reported by a command as well, without a stack', async () => {
      const { code, stdout, stderr } = await runFleet(['task', 'idle', 'more'], { env: fleet.env });
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
      expect(stderr).toContain(fleet.home);
      expect(stderr).not.toMatch(/\n +at /);
    });

    it('refuses the token and the trust that cannot be written', async () => {
      const config = join(fleet.directory, 'fleet.yaml');
      for (const words of [
        ['token', '--rotate'],
        ['trust', config],
      ]) {
        const { stdout, stderr, code } = await runFleet([...words, '--json'], { env: fleet.env });
        expect({ words, code, stderr }).toEqual({ words, code: 7, stderr: '' });
        expect((JSON.parse(stdout) as { error: Answer }).error).toMatchObject({
          details: { reason: 'disk_full' },
        });
      }
    });

    it('keeps nobody from looking', async () => {
      const { stdout, code } = await runFleet(['call', 'list_agents'], { env: fleet.env });
      expect({ code, agents: (JSON.parse(stdout) as Answer)['agents'] }).toEqual({
        code: 0,
        agents: await agentsOf(ask),
      });
      expect((await logOf(ask, 'asleep')).length).toBeGreaterThan(0);
    });

    it('keeps the end of a task until it can be written, and writes it once', async () => {
      held.release();
      const end = async (): Promise<unknown> => (await history(ask, 'busy'))[0]?.['state'];
      await until(
        async () => programOf('busy'),
        (program) => program === '',
      );
      expect(await end()).toBe('running');
      empty(fleet.home);
      await until(end, (state) => state === 'complete');
      const { facts } = await fleet.fleet.facts('busy');
      const ends = facts.filter(({ body }) => body.kind === 'task.ended' && body.task_id === held.id);
      expect(ends).toHaveLength(1);
      expect(Object.values(ids).map((id) => runnerOf(fleet, id))).toEqual(runners);
    });

    it('leaves all agents at work when there is space again', async () => {
      const names = ['idle', 'busy', 'asleep'];
      for (const agent_name of names)
        await ask('start_agent_task', { agent_name, task_description: 'with room again' });
      await waitIdle(ask, ...names);
      for (const name of names)
        expect((await history(ask, name))[0]).toMatchObject({
          message: 'with room again',
          state: 'complete',
        });
      await until(
        async () => runnerOf(fleet, ids['asleep'] ?? ''),
        (left) => left === undefined,
      );
    });
  });

  it('a log that floods a full disk loses lines, says so, and its task ends as it should', async () => {
    const go = join(fleet.directory, 'flood-go');
    const flood = `while [ ! -e ${go} ]; do sleep 0.02; done; seq 1 40000; echo the end`;
    ids['flooding'] = (await idleAgent(ask, 'flooding', { role: 'shell', task: 'true' })).workspace_id;
    await ask('start_agent_task', { agent_name: 'flooding', task_description: flood });
    await until(
      async () => programOf('flooding'),
      (program) => program !== '',
    );
    fill(fleet.home);
    writeFileSync(go, '');
    await until(
      async () => programOf('flooding'),
      (program) => program === '',
    );
    const spent = cpuOf('flooding');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // A runner that waits for space costs next to nothing: less than a tenth of the second.
    expect(cpuOf('flooding') - spent).toBeLessThan(10);
    empty(fleet.home);
    await waitIdle(ask, 'flooding');
    expect((await history(ask, 'flooding'))[0]).toMatchObject({ state: 'complete' });
    const { facts } = await fleet.fleet.facts('flooding');
    const cut = facts.flatMap(({ body }) => (body.kind === 'log.cut' ? [body.entries] : []));
    expect(cut.reduce((sum, entries) => sum + entries, 0)).toBeGreaterThan(0);
    expect((await logOf(ask, 'flooding'))[0]).toMatchObject({ message: 'the end' });
  });

  it('what fails to start on a full disk starts when there is space', async () => {
    fill(fleet.home);
    expectFull(await failure(ask('restart_agent', { agent_name: 'stopped' })));
    empty(fleet.home);
    await ask('restart_agent', { agent_name: 'stopped' });
    await waitIdle(ask, 'stopped');
    expect(await agentOf(ask, 'stopped')).toMatchObject({ status: 'idle' });
  });
});

function expectFull({ code, message, details }: FleetError): void {
  expect({ code, reason: details.reason, message }).toEqual({
    code: 'SERVICE_UNAVAILABLE',
    reason: 'disk_full',
    message: expect.stringContaining(fleet.home),
  });
}

/** All that can be seen of the agents, but for when they were last heard. */
async function everything(): Promise<unknown> {
  const agents = await agentsOf(ask);
  const rows = await Promise.all(agents.map(({ name }) => history(ask, name)));
  const branches = execFileSync('git', ['-C', fleet.repository, 'branch', '--format=%(refname)']).toString();
  return { agents, rows, branches };
}

/** The program that an agent's task runs; empty when there is none. */
function programOf(name: string): string {
  const runner = runnerOf(fleet, idOf(name));
  return readFileSync(`/proc/${runner}/task/${runner}/children`, 'utf8').trim();
}

function idOf(name: string): string {
  return ids[name] ?? '';
}

/** Hundredths of a second that the runner of an agent has worked. */
function cpuOf(name: string): number {
  const stat = readFileSync(`/proc/${runnerOf(fleet, idOf(name))}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
