import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  failure,
  history,
  idleAgent,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { acpFleet, logOf, steps } from './acp-fleet.ts';

const it = fleetTest(() =>
  acpFleet({
    frugal: { budget: { tokens: 20 } },
    poor: { budget: { cost: 0.001 } },
    rich: { budget: { tokens: 1000, cost: 5 } },
  }),
);

const next = (ask: Ask, agent_name: string) =>
  ask('start_agent_task', { agent_name, task_description: steps({ say: 'more' }), when_busy: 'queue' });

describe('the budget of a task', () => {
  it('fails a task whose usage is known only at its end, and refuses the next until it is raised [CFG-budget]', async ({
    fleet,
    ask,
  }) => {
    await idleAgent(ask, 'sony', { role: 'frugal', task: steps({ say: 'done' }) });
    expect((await history(ask, 'sony'))[0]).toMatchObject({
      state: 'failed',
      tokens: 100,
      result: 'budget: the task used 100 of 20 tokens\ndone',
    });
    expect(await agentOf(ask, 'sony')).toMatchObject({
      needs_attention: true,
      status_reason: expect.stringContaining('refused unless the budget was raised since'),
    });
    await ask('acknowledge_agent', { agent_name: 'sony' });
    expect(await failure(next(ask, 'sony'))).toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'budget' },
      message: expect.stringContaining('fleet restart sony'),
    });
    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    expect((await agentOf(ask, 'sony')).status_reason).toContain('refused unless the budget was raised');
    expect(await failure(next(ask, 'sony'))).toMatchObject({ details: { reason: 'budget' } });
    fleet.configure((config) => Object.assign(config.roles['frugal'] ?? {}, { budget: { tokens: 500 } }));
    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    await next(ask, 'sony');
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony'))[0]).toMatchObject({ state: 'complete', result: 'more' });
  });

  it('cuts a turn when the agent reports in its course that it costs too much, and ends what is queued', async ({
    ask,
  }) => {
    await ask('create_agent', {
      project: 'Setup',
      name: 'kay',
      role: 'poor',
      task: steps({ spend: 0.25 }, { silent: 60_000 }, { say: 'never said' }),
    });
    await next(ask, 'kay');
    await waitIdle(ask, 'kay');
    const [queued, first] = await history(ask, 'kay');
    expect(first).toMatchObject({
      state: 'failed',
      result: expect.stringContaining('used $0.25 of $0.0010'),
    });
    expect(queued).toMatchObject({ state: 'failed', started_at: null });
    expect(queued?.['result']).toContain('budget: not started');
    expect((await logOf(ask, 'kay')).map(({ message }) => message)).not.toContain('never said');
  });

  it('leaves a task within it alone', async ({ ask }) => {
    await idleAgent(ask, 'ada', { role: 'rich', task: steps({ say: 'one' }) });
    await next(ask, 'ada');
    await waitIdle(ask, 'ada');
    expect((await history(ask, 'ada')).map((row) => row['state'])).toEqual(['complete', 'complete']);
  });
});
