import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { history, idleAgent, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'calm', { task: script({ say: 'hello' }) });
  await idleAgent(ask, 'zoe', { task: script({ exit: 3 }) });
});

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });

describe('fleet list', () => {
  it('shows who needs a person first, filters for them, and shows a failure after it was acknowledged', async ({
    fleet,
  }) => {
    const all = (await run(fleet, 'list')).stdout.split('\n');
    expect(all[0]).toMatch(/^NEEDS YOU .* REASON$/);
    expect(all[1]).toMatch(/^zoe .* the program ended with exit code 3$/);
    expect(all[4]).toMatch(/^calm /);
    expect((await run(fleet, 'list', '--attention', '--names')).stdout).toBe('zoe\n');
    const counted = JSON.parse((await run(fleet, 'list', '--attention', '--json')).stdout) as object;
    expect(counted).toMatchObject({
      total_count: 1,
      agents: [{ name: 'zoe', attention_reason: 'the program ended with exit code 3' }],
    });
    expect(await run(fleet, 'list', '--attention', '--status', 'busy')).toMatchObject({
      stdout: '',
      stderr: 'No agents match.\n',
    });
    await run(fleet, 'ack', 'zoe');
    expect((await run(fleet, 'list', '--attention')).stderr).toBe('No agent needs attention.\n');
    expect((await run(fleet, 'list')).stdout).toMatch(/^zoe +idle .* failed: /m);
    expect((await run(fleet, 'show', 'zoe')).stdout).toContain('(failed)');
  });
});

describe('a short id', () => {
  it('of the history cancels a queued task, and one that fits no task is refused', async ({ fleet, ask }) => {
    const hold = join(fleet.directory, 'go');
    await ask('start_agent_task', { agent_name: 'calm', task_description: script({ hold }) });
    await run(fleet, 'task', 'calm', '--queue', 'never runs');
    const [queued] = await history(ask, 'calm');
    const short = String(queued?.['id']).slice(0, 8);
    expect((await run(fleet, 'history', 'calm')).stdout).toMatch(new RegExp(` ${short}  never runs$`, 'm'));
    expect(await run(fleet, 'cancel', 'calm', 'zzzz')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('"zzzz"'),
    });
    expect(await run(fleet, 'cancel', 'calm', short)).toMatchObject({ code: 0 });
    const ended = await until(
      async () => (await history(ask, 'calm'))[0],
      (row) => row?.['state'] !== 'queued',
    );
    expect(ended).toMatchObject({ message: 'never runs', state: 'canceled' });
    await run(fleet, 'cancel', 'calm');
    await waitIdle(ask, 'calm');
  });
});
