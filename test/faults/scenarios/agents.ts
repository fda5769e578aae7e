import { agentOf, type Answer } from '../../support/fleets/fleet-under-test.ts';
import type { Scenario } from '../scenario.ts';
import { taskText } from '../task-text.ts';
import { atRest, bringAsleep, bringBusy, bringIdle, bringStopped, hasRunner, NAME } from './bring.ts';
import { expectAnswer, expectSame, expectStatus, expectTask } from './expect.ts';
import { endsOf } from './tasks.ts';

export const AGENT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'create',
    interfaces: ['cli', 'server', 'harness'],
    stage: { looks: true },
    setUp: async () => {},
    call: (stage) => ({
      operation: 'create_agent',
      input: {
        project: 'Setup',
        name: NAME,
        task: taskText(stage.directory, 'first'),
        idempotency_key: 'the-key',
      },
    }),
    over: atRest,
    verify: async (stage, seen) => [
      ...expectAnswer(seen.again),
      ...expectSame([seen.first, seen.again], (answer) => (answer['agent'] as Answer)['workspace_id']),
      ...(await expectStatus(stage, /^idle$/)),
      ...(await expectTask(stage, 'first', endsOf(seen))),
      ...(await nameTaken(stage)),
    ],
  },
  {
    name: 'stop',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage),
    call: () => ({ operation: 'stop_agent', input: { agent_name: NAME } }),
    over: (stage) => !hasRunner(stage),
    verify: async (stage, seen) => [
      ...expectAnswer(seen.again),
      // When its runner died first, it waited to be started again.
      ...(await expectStatus(stage, seen.through === 'harness' ? /^(stopped|canceled)$/ : /^stopped$/)),
      ...(await expectTask(stage, 'held', ['interrupted'])),
      ...(await expectTask(stage, 'queued', ['queued'])),
    ],
  },
  {
    name: 'stop asleep',
    interfaces: ['cli', 'server'],
    stage: { sleep_after: '600ms' },
    setUp: bringAsleep,
    call: () => ({ operation: 'stop_agent', input: { agent_name: NAME } }),
    over: () => true,
    verify: async (stage, seen) => [...expectAnswer(seen.again), ...(await expectStatus(stage, /^stopped$/))],
  },
  {
    name: 'restart',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage),
    call: () => ({ operation: 'restart_agent', input: { agent_name: NAME } }),
    over: (stage) => atRest(stage) && stage.marks('queued').includes('done'),
    verify: async (stage, seen) => [
      ...expectAnswer(seen.again),
      ...(await expectStatus(stage, /^idle$/)),
      ...(await expectTask(stage, 'held', ['interrupted'])),
      // The second restart may come in the middle of it.
      ...(await expectTask(stage, 'queued', ['complete', 'interrupted'])),
    ],
  },
  {
    name: 'restart stopped',
    interfaces: ['cli', 'server'],
    setUp: bringStopped,
    call: () => ({ operation: 'restart_agent', input: { agent_name: NAME } }),
    over: () => true,
    verify: async (stage, seen) => [...expectAnswer(seen.again), ...(await expectStatus(stage, /^idle$/))],
  },
  {
    name: 'metadata',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringIdle(stage),
    call: setNote,
    over: () => true,
    verify: noteIsThere,
  },
  {
    name: 'metadata asleep',
    interfaces: ['cli', 'server'],
    stage: { sleep_after: '600ms' },
    setUp: bringAsleep,
    call: setNote,
    over: () => true,
    verify: noteIsThere,
  },
  {
    name: 'acknowledge',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringIdle(stage, { steps: ['exit 3'] }),
    call: () => ({ operation: 'acknowledge_agent', input: { agent_name: NAME } }),
    over: () => true,
    verify: async (stage, seen) => [
      ...expectAnswer(seen.again),
      ...((await agentOf(stage.ask, NAME)).needs_attention ? ['it still asks for attention'] : []),
    ],
  },
];

function setNote() {
  return {
    operation: 'set_agent_metadata',
    input: { agent_name: NAME, key: 'fleet_mcp_note', value: 'here' },
  };
}

async function noteIsThere(...[stage, { again }]: Parameters<Scenario['verify']>): Promise<string[]> {
  const { fleet_metadata } = await agentOf(stage.ask, NAME);
  return [
    ...expectAnswer(again),
    ...(fleet_metadata['fleet_mcp_note'] === 'here' ? [] : ['the metadata is not there']),
  ];
}

/** Somebody else cannot have the name. */
async function nameTaken(stage: Parameters<Scenario['verify']>[0]): Promise<string[]> {
  const input = { project: 'Setup', name: NAME, task: 'another' };
  const code = await stage.ask('create_agent', input).then(
    () => 'made',
    (thrown: unknown) => (thrown as { code?: string }).code,
  );
  return code === 'CONFLICT' ? [] : [`the name could be taken again: ${code}`];
}
