import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, until, waitIdle, agentOf } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony', { task: script({ say: 'hello' }) });
});

const run = (fleet: LocalFleet, ...args: string[]): Promise<Finished> => runFleet(args, { env: fleet.env });

describe('a message of a command', () => {
  it.for([
    { args: ['list', '--status', 'bsy'], words: ['--status', 'did you mean busy?'] },
    { args: ['history', 'sony', '--page-size', '500'], words: ['--page-size', 'must be at most 100'] },
    { args: ['wait', 'sony', '--until', 'x'], words: ['--until', 'must be one of idle, attention'] },
    { args: ['approve', 'sony'], words: ['"sony" has no pending approval'] },
    { args: ['deny', '00000000-1'], words: ['fleet approvals'] },
  ])('of $args names the options of the command line', async ({ args, words }, { fleet }) => {
    const { code, stderr } = await run(fleet, ...args);
    expect(code).not.toBe(0);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/input|_(?:filter|size|agents|approvals)/);
  });

  it('about a busy agent names --queue and --interrupt, and keeps the words of the API with --json', async ({
    fleet,
    ask,
  }) => {
    const hold = join(fleet.directory, 'go');
    await ask('start_agent_task', { agent_name: 'sony', task_description: script({ hold }) });
    await until(
      () => agentOf(ask, 'sony'),
      ({ current_task }) => current_task !== null,
    );
    expect((await run(fleet, 'task', 'sony', 'more')).stderr).toContain('--queue or --interrupt');
    expect((await run(fleet, 'task', 'sony', 'more', '--json')).stdout).toContain('when_busy');
    await run(fleet, 'cancel', 'sony');
    await waitIdle(ask, 'sony');
  });

  it.for([
    ['show', 'sonny'],
    ['wait', 'sonny'],
    ['task', 'sonny', 'text'],
    ['stop', 'sonny'],
    ['why', 'sonny'],
  ])('%s of a mistyped agent names the nearest one', async ([...args], { fleet }) => {
    expect(await run(fleet, ...args)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Did you mean "sony"?'),
    });
  });
});
