import { describe, expect, it } from 'vitest';
import { fixedFleet, MAKING, TESTER } from '../../../test/support/fleets/fixed-fleet.ts';
import type { RunnerClient } from '../../runner/api/runner-client.ts';
import type { Caller } from '../../domain/principal.ts';
import { EMPTY_STATE, type AgentState, type RunningTask } from '../../domain/state.ts';
import type { HistoryRow } from '../../domain/task.ts';

const BY = { principal: 'user:tester', door: 'cli' };
const AT = '2026-11-01T10:00:00.000Z';
const READY: AgentState = { ...EMPTY_STATE, phase: 'ready', phase_reason: 'ready, no task' };
const RUNNING: RunningTask = {
  id: 'running',
  message: 'what runs',
  started_at: AT,
  started: { at: Date.parse(AT), awake_ms: 0, boot: 'test' },
  cancel_requested: false,
  acknowledged: null,
  resumed: 0,
  trouble: null,
};
const SELF: Caller = {
  principal: { kind: 'agent', name: 'sony' },
  door: 'self',
  source: 'agent',
  scopes: new Set(['self']),
  self: { agent_name: 'sony' },
};

describe('start_agent_task', () => {
  it('asks the runner, which refuses while it is busy unless the caller says otherwise', async () => {
    const { fleet, asked } = runnerFleet({ ...READY, running: RUNNING });
    await fleet.startTask({ agent_name: 'SONY', task_description: 'do it' }, MAKING);
    await fleet.startTask({ agent_name: 'sony', task_description: 'do it', when_busy: 'interrupt' }, MAKING);
    const request = { task_id: 'id-of-task', message: 'do it', source: 'human', by: BY };
    expect(asked).toEqual([
      ['accept', { ...request, when_busy: 'reject' }],
      ['accept', { ...request, when_busy: 'interrupt' }],
    ]);
  });

  it.each([
    ['assigned to an idle agent', { queue: ['task'] }, 'Task assigned to agent', 'busy'],
    ['assigned when it runs at once', { running: RUNNING }, 'Task assigned to agent', 'busy'],
    ['queued behind a running one', { queue: ['task'], running: RUNNING }, 'Task queued for agent', 'busy'],
    ['queued behind another', { queue: ['other', 'task'] }, 'Task queued for agent', 'busy'],
    ['repeated after it ended', { queue: ['other', 'another'] }, 'Task assigned to agent', 'busy'],
  ])('says that the task is %s', async (_, state, message, agent_status) => {
    const { fleet } = runnerFleet({ ...READY, ...state });
    expect(await fleet.startTask({ agent_name: 'sony', task_description: 'do it' }, MAKING)).toEqual({
      agent_name: 'sony',
      task: { id: 'task', message: 'the task', created_at: AT, state: 'queued' },
      agent_status,
      message: `${message} 'sony'`,
    });
  });

  it('lets an agent only queue a task for itself', async () => {
    const { fleet, asked } = runnerFleet();
    const making = { ...MAKING, caller: SELF };
    const input = { agent_name: 'sony', task_description: 'do it' };
    for (const when_busy of [undefined, 'queue'] as const)
      await fleet.startTask({ ...input, when_busy }, making);
    expect(asked.map(([, request]) => request)).toMatchObject([
      { when_busy: 'queue', source: 'agent' },
      { when_busy: 'queue', source: 'agent' },
    ]);
    await expect(fleet.startTask({ ...input, when_busy: 'interrupt' }, making)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { field: 'when_busy' },
    });
  });
});

describe('cancel_agent_task', () => {
  it('says whether a task was interrupted or taken from the queue', async () => {
    const { fleet, asked } = runnerFleet({ ...READY, running: RUNNING });
    expect(await fleet.cancelTask({ agent_name: 'sony' }, TESTER)).toEqual({
      agent_name: 'sony',
      message: "Interrupt signal sent to agent 'sony'",
      interrupt_sent: true,
      task: { id: 'task', message: 'the task', created_at: AT, state: 'queued' },
      agent_status: 'busy',
    });
    expect(await fleet.cancelTask({ agent_name: 'sony', task_id: 'task' }, TESTER)).toMatchObject({
      message: "Queued task task of agent 'sony' canceled",
      interrupt_sent: false,
    });
    expect(asked).toEqual([
      ['cancel', { by: BY }],
      ['cancel', { task_id: 'task', by: BY }],
    ]);
  });
});

describe('history and log', () => {
  it('are paged, and say why a queued task does not run', async () => {
    const { fleet, backend } = fixedFleet();
    const agent = backend.addAgent('sony', { phase: 'stopped', phase_reason: 'stopped by user:tester' });
    agent.tasks.push(taskRow('queued'), taskRow('complete'));
    agent.log.push({ text: 'a line' } as unknown as (typeof agent.log)[number]);
    expect(await fleet.history('sony', { page: 1, page_size: 1 })).toEqual({
      name: 'sony',
      rows: [{ ...taskRow('queued'), result: expect.stringContaining('the agent is stopped') }],
      page: 1,
      page_size: 1,
      total_count: 2,
      total_pages: 2,
      has_next_page: true,
      has_previous_page: false,
      as_of: AT,
    });
    expect(await fleet.log('sony', { page: 1, page_size: 10 })).toMatchObject({
      name: 'sony',
      rows: [{ text: 'a line' }],
      total_count: 1,
      as_of: AT,
    });
    expect(await fleet.facts('sony')).toMatchObject({ agent: { name: 'sony' }, facts: [] });
  });
});

describe('metadata, acknowledgement and reports', () => {
  it('go to the runner after they were checked', async () => {
    const { fleet, asked } = runnerFleet();
    const set = (key: string, value: string | null) =>
      fleet.setMetadata({ agent_name: 'sony', key, value }, TESTER);
    expect(await set('fleet_mcp_note', 'a note')).toEqual({
      agent_name: 'sony',
      key: 'fleet_mcp_note',
      value: 'a note',
    });
    expect(await set('fleet_mcp_note', null)).toMatchObject({ value: null });
    expect(await fleet.acknowledge('sony', TESTER)).toEqual({
      agent_name: 'sony',
      message: "Agent 'sony' acknowledged",
    });
    expect(asked).toEqual([
      ['setMetadata', { key: 'fleet_mcp_note', value: 'a note', by: BY }],
      ['setMetadata', { key: 'fleet_mcp_note', value: null, by: BY }],
      ['acknowledge', { by: BY }],
    ]);
    await expect(set('note', 'a note')).rejects.toMatchObject({ details: { field: 'key' } });
    await expect(set('fleet_mcp_note', 'x'.repeat(5000))).rejects.toMatchObject({
      details: { field: 'value' },
    });
    expect(asked).toHaveLength(3);
  });

  it('a report is of the agent that calls, or of the one that is named', async () => {
    const { fleet, asked } = runnerFleet();
    expect(await fleet.report({ message: 'half done' }, { ...MAKING, caller: SELF })).toEqual({
      agent_name: 'sony',
      recorded_at: AT,
    });
    const full = { message: 'done', uri: 'https://forge.test/1', state: 'complete' } as const;
    await fleet.report({ agent_name: 'sony', ...full }, MAKING);
    expect(asked).toEqual([
      [
        'report',
        {
          report_id: 'id-of-report',
          message: 'half done',
          uri: null,
          state: 'working',
          by: { principal: 'agent:sony', door: 'self' },
        },
      ],
      ['report', { report_id: 'id-of-report', ...full, by: BY }],
    ]);
    await expect(fleet.report({ message: 'done' }, MAKING)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

/** A fleet with the agent `sony`, whose runner answers with a state and writes down what it was asked. */
function runnerFleet(state: AgentState = READY) {
  const asked: [string, unknown][] = [];
  const answer =
    <Value>(call: string, value: Value) =>
    async (request: unknown): Promise<Value> => {
      asked.push([call, request]);
      return value;
    };
  const runner: RunnerClient = {
    accept: answer('accept', { task: taskRow('queued'), state }),
    cancel: async (request) => {
      const interrupt_sent = request.task_id === undefined;
      return answer('cancel', { task: taskRow('queued'), interrupt_sent, state })(request);
    },
    report: answer('report', { recorded_at: AT }),
    setMetadata: answer('setMetadata', undefined),
    acknowledge: answer('acknowledge', undefined),
    answer: answer('answer', undefined),
  };
  const { fleet, backend } = fixedFleet({ runner: () => runner });
  backend.addAgent('sony');
  return { fleet, asked };
}

function taskRow(state: HistoryRow['state']): HistoryRow {
  return {
    id: 'task',
    kind: 'task',
    message: 'the task',
    uri: null,
    needs_user_attention: false,
    created_at: AT,
    state,
    source: 'human',
    started_at: null,
    finished_at: null,
    result: null,
    tokens: null,
    cost: null,
  };
}
