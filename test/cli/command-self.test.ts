import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  history,
  idleAgent,
  logOf,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Setup'] = { ...config.projects['Setup'], default_role: 'shell' };
  }),
);
it.beforeAll(async ({ ask }) => {
  await Promise.all(['speaker', 'other'].map((name) => idleAgent(ask, name, { task: 'true' })));
});

async function run(ask: Ask, task_description: string): Promise<void> {
  await ask('start_agent_task', { agent_name: 'speaker', task_description });
  await waitIdle(ask, 'speaker');
}

const reports = async (ask: Ask, name: string): Promise<Answer[]> =>
  (await history(ask, name)).filter((row) => row['kind'] === 'report');

describe('fleet inside the program of a command agent', () => {
  it('reports for its own agent, with an address and a state [CMD-report]', async ({ ask }) => {
    await run(
      ask,
      [
        'fleet report half done',
        'fleet report "Opened it" --uri https://example.com/pull/7 --state complete',
        'echo from stdin | fleet report - --state failure --json',
      ].join('\n'),
    );
    expect(await reports(ask, 'speaker')).toMatchObject([
      { message: 'from stdin', uri: null, state: 'failed', source: 'agent', needs_user_attention: true },
      { message: 'Opened it', uri: 'https://example.com/pull/7', state: 'complete', source: 'agent' },
      { message: 'half done', uri: null, state: 'complete', source: 'agent' },
    ]);
    const log = (await logOf(ask, 'speaker')).map((row) => String(row['message']));
    expect(log).toContain('Recorded for speaker');
    expect(log.some((line) => line.startsWith('{"agent_name":"speaker","recorded_at":'))).toBe(true);
    expect(await reports(ask, 'other')).toEqual([]);
    expect(await agentOf(ask, 'speaker')).toMatchObject({ status: 'idle', last_task: 'from stdin' });
  });

  it('queues a task for its own agent, which runs after this one [CMD-task-self]', async ({ ask }) => {
    await run(ask, 'fleet task --self "echo the second"; echo the first');
    const [second, first] = await history(ask, 'speaker');
    expect(second).toMatchObject({ message: 'echo the second', source: 'agent', state: 'complete' });
    expect(first).toMatchObject({ source: 'human', state: 'complete' });
    const log = (await logOf(ask, 'speaker')).map((row) => String(row['message'])).toReversed();
    expect(log.indexOf('the second')).toBeGreaterThan(log.indexOf('the first'));
    expect(log.indexOf('the first')).toBeGreaterThan(-1);
    expect(await history(ask, 'other')).toHaveLength(1);
  });

  it('shows its own diff and checkpoints, and those of nobody else [OP-self-diff]', async ({ ask }) => {
    await run(
      ask,
      [
        'echo one > own.txt',
        'fleet diff speaker --stat',
        'fleet diff speaker --json -- own.txt',
        'fleet checkpoints speaker --json',
        'fleet diff other --stat; echo "diff: $?"',
      ].join('\n'),
    );
    const log = (await logOf(ask, 'speaker')).map((row) => String(row['message'])).toReversed();
    expect(log.some((line) => line.includes('own.txt') && line.includes('+1'))).toBe(true);
    const answers = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Answer);
    expect(answers.find((answer) => 'files' in answer)).toMatchObject({
      agent_name: 'speaker',
      files: [
        {
          path: 'own.txt',
          status: 'added',
          uncommitted: true,
          patch: expect.stringContaining('+one') as string,
        },
      ],
    });
    expect(answers.find((answer) => 'checkpoints' in answer)).toMatchObject({ agent_name: 'speaker' });
    expect(log).toContain('diff: 5');
  });

  it('cannot do anything to another agent', async ({ ask }) => {
    await run(ask, 'fleet task other "echo stolen"; echo "exit $?"; fleet delete other; echo "exit $?"');
    const log = (await logOf(ask, 'speaker')).map((row) => row['message']);
    expect(log.filter((line) => line === 'exit 5')).toHaveLength(2);
    expect(await history(ask, 'other')).toHaveLength(1);
  });
});
