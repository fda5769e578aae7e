import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { history, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const setUp = (fleet: LocalFleet, setup: string): void =>
  fleet.configure((config) => Object.assign(config.projects['Setup'] ?? {}, { setup }));
const run = (fleet: LocalFleet, ...args: string[]) => runFleet(args, { env: fleet.env });

const it = fleetTest(() =>
  localFleet((config) => Object.assign(config.projects['Setup'] ?? {}, { setup: 'exit 7' })),
);

describe('a project whose set-up fails', () => {
  it('ends a wait for the task at once, with the reason', async ({ fleet, ask }) => {
    const task = script({ say: 'it runs' });
    const created = await run(fleet, 'create', 'Setup', '--name', 'sony', '--wait', task);
    expect(created).toMatchObject({ code: 1, stdout: expect.stringContaining('failed with exit code 7') });
    const answer = await run(fleet, 'create', 'Setup', '--name', 'kay', '--wait', '--json', task);
    expect(answer.code).toBe(1);
    expect(JSON.parse(answer.stdout)).toMatchObject({
      agent: { status: 'failed' },
      task: { state: 'queued', result: expect.stringContaining('fleet restart kay') },
    });
    const { agents, timed_out } = await ask('wait_for_agents', { agent_names: 'sony', timeout_seconds: 50 });
    expect({ agents, timed_out }).toMatchObject({ agents: [{ status: 'failed' }], timed_out: false });
  });

  it('has the reason in the history of what is queued, which runs after a restart with a set-up that works', async ({
    fleet,
    ask,
  }) => {
    expect(await history(ask, 'sony')).toMatchObject([
      {
        state: 'queued',
        result: expect.stringMatching(/the agent is failed: .*exit code 7.*fleet restart sony/),
      },
    ]);
    setUp(fleet, 'echo fixed > fixed.txt');
    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    expect(await history(ask, 'sony')).toMatchObject([{ state: 'complete', result: 'it runs' }]);
    const shown = await run(fleet, 'create', 'Setup', '--name', 'ada', '--wait', script({ say: 'and this' }));
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/: complete\nand this\n$/) });
  });
});
