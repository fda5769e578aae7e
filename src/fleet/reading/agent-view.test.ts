import { describe, expect, it } from 'vitest';
import { fixedFleet, NOW } from '../../../test/support/fleets/fixed-fleet.ts';
import type { AgentDetails } from '../../backends/backend.ts';
import { agentListSchema, agentSchema, type GitFacts } from '../../domain/agent.ts';
import type { AgentState } from '../../domain/state.ts';
import { listView, showView } from './agent-view.ts';

const LONG = 'x'.repeat(200);
const CUT = `${'x'.repeat(159)}…`;

describe('an agent in a list', () => {
  it('has its texts cut', () => {
    const agent = agentWith({
      running: runningTask(LONG),
      last_task: LONG,
      last_end: { state: 'failed', result: LONG },
      attention: { reason: LONG, since: '2026-11-01T10:00:00.000Z' },
    });
    const { view } = listView(agent, NOW);
    expect(view).toMatchObject({
      current_task: CUT,
      last_task: CUT,
      last_result: CUT,
      attention_reason: CUT,
    });
    expect(view.status_reason).toHaveLength(160);
    expect(view).toMatchObject({ status: 'busy', last_task_state: 'failed' });
  });

  it('says when time alone may change it', () => {
    expect(listView(agentWith({ running: runningTask('x') }), NOW).look_again_at).toBeGreaterThan(NOW.at);
    expect(listView(agentWith({}), NOW).look_again_at).toBeNull();
    expect(listView(agentWith({}), NOW).view).not.toHaveProperty('look_again_at');
  });

  it('has the values of its listed fields, and nothing where nothing happened', () => {
    const listed = { count: 2, collected_at: 'c', changed_at: null, values: { tests: 'green' } };
    expect(listView({ ...agentWith({}), listed }, NOW).view).toMatchObject({
      metadata: { tests: 'green' },
      metadata_count: 2,
      metadata_collected_at: 'c',
      current_task: null,
      last_task: null,
      last_task_state: null,
      last_result: null,
      git: null,
      pull_request: null,
      queue_length: 0,
      cost: null,
      tokens: null,
      created_by: 'user:test',
    });
  });

  it('has what it used, its queue and its repository', () => {
    const agent = agentWith({ usage: { tokens: 5, cost: 0.5 }, queue: ['a', 'b'] });
    const git = { branch: 'topic', ahead: 1 } as GitFacts;
    expect(listView({ ...agent, git }, NOW).view).toMatchObject({
      cost: 0.5,
      tokens: 5,
      queue_length: 2,
      git: { branch: 'topic', ahead: 1, as_of: null },
    });
    expect(listView({ ...agent, git: { ...git, as_of: 'then' } }, NOW).view.git?.as_of).toBe('then');
  });

  it.each([
    ['it was created', {}, '2026-11-01T10:00:00.000Z'],
    ['its state changed', { state: '2026-11-02' }, '2026-11-02'],
    ['its fields changed', { state: '2026-11-02', fields: '2026-11-03' }, '2026-11-03'],
    ['a forge said something else', { fields: '2026-11-03', forge: '2026-11-04' }, '2026-11-04'],
  ])('was updated last when %s', (_, { state, fields, forge }: Times, expected) => {
    const agent = agentWith({ updated_at: state ?? '' });
    const listed = { ...agent.listed, changed_at: fields ?? null };
    const seen = { ...agent, listed, ...(forge === undefined ? {} : { heard_at: forge }) };
    expect(listView(seen, NOW).view.updated_at).toBe(expected);
  });
});

describe('an agent in full', () => {
  it('has its own facts among its metadata, and nobody can set them', () => {
    const agent = { ...agentWith({}), metadata: { fleet_mcp_note: 'a note', fleet_mcp_role: 'forged' } };
    expect(showView(agent, NOW).fleet_metadata).toEqual({
      fleet_mcp_note: 'a note',
      fleet_mcp_agent_name: 'sony',
      fleet_mcp_role: 'coder',
      fleet_mcp_project: 'Setup',
      fleet_mcp_agent_spec: 'the spec',
    });
    expect(showView({ ...agent, spec: null }, NOW).fleet_metadata).not.toHaveProperty('fleet_mcp_agent_spec');
  });

  it.each<[string, Partial<AgentState>, string | undefined]>([
    ['the task that runs', { running: runningTask('the work') }, 'the work'],
    ['the first task while it is pending', starting('pending', ['one']), 'the first'],
    ['the first task while it starts', starting('starting', ['one']), 'the first'],
    ['none of several that wait', starting('pending', ['one', 'two']), undefined],
    ['none while it stops', starting('stopping', ['one']), undefined],
  ])('has as its task: %s', (_, state, task) => {
    expect(showView(agentWith(state), NOW).fleet_metadata['fleet_mcp_current_task']).toBe(task);
  });

  it('shows its texts whole, the problem of its workspace, and refused writes', () => {
    const agent = agentWith({ last_task: LONG, last_end: { state: 'complete', result: LONG } });
    expect(showView(agent, NOW)).toMatchObject({
      last_task: LONG,
      last_result: LONG,
      status_reason: 'ready, no task',
      spec: 'the spec',
      metadata: {},
      refused_writes: [],
    });
    expect(showView({ ...agent, problem: 'no disk', refused_writes: ['/etc'] }, NOW)).toMatchObject({
      status_reason: 'ready, no task; no disk',
      refused_writes: ['/etc'],
    });
  });
});

it('an agent is as its schema says, in a list and in full', () => {
  const agent = agentWith({ running: runningTask('the work'), queue: ['next'] });
  const { view } = listView(agent, NOW);
  expect(agentListSchema.strict().parse(view)).toEqual(view);
  const shown = showView(agent, NOW);
  expect(agentSchema.strict().parse(shown)).toEqual(shown);
});

interface Times {
  readonly state?: string;
  readonly fields?: string;
  readonly forge?: string;
}

function agentWith(state: Partial<AgentState>): AgentDetails {
  return fixedFleet().backend.addAgent('sony', state);
}

function starting(phase: AgentState['phase'], queue: readonly string[]): Partial<AgentState> {
  return { phase, queue, last_task: 'the first' };
}

function runningTask(message: string): NonNullable<AgentState['running']> {
  return {
    id: 'running',
    message,
    started_at: '2026-11-01T10:00:00.000Z',
    started: { ...NOW },
    cancel_requested: false,
    acknowledged: null,
    resumed: 0,
    trouble: null,
  };
}
