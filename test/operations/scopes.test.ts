import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Scope } from '../../src/domain/principal.ts';
import { openSelf } from '../../src/fleet/open-self.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import {
  agentOf,
  agentsOf,
  AI,
  askAs,
  failure,
  history,
  HUMAN,
  idleAgent,
  logOf,
  waitIdle,
  type Answer,
  type Ask,
  checkedAgent,
} from '../support/fleets/fleet-under-test.ts';
import { withoutAsOf } from '../support/without-as-of.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask } from './held-task.ts';
import { WORK_CHANGES } from '../support/places/work-life.ts';

let fleet: LocalFleet;
let ask: Ask;
/** As the agent sony, through its own socket. */
let sony: Ask;

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  fleet.fleet.doctor.provide(async () => []);
  const [{ workspace_id }] = await Promise.all([checkedAgent(ask, 'sony'), idleAgent(ask, 'papi')]);
  const socket = agentPaths(fleet.home, workspace_id).selfSocket;
  const self = openSelf({ FLEET_SELF_SOCKET: socket, FLEET_AGENT: 'sony' });
  sony = askAs(self.fleet, self.caller);
  await ask('start_forecast', { project: 'Setup', skip_checks: true });
});
afterAll(() => fleet[Symbol.asyncDispose]());

const READ: Readonly<Record<string, Answer>> = {
  list_agents: {},
  show_agent: { agent_name: 'sony' },
  list_agent_projects: {},
  list_agent_roles: { project: 'Setup' },
  show_agent_task_history: { agent_name: 'sony' },
  show_agent_log: { agent_name: 'sony' },
  show_agent_conversation: { agent_name: 'sony' },
  show_agent_timeline: { agent_name: 'sony' },
  show_doctor: {},
  show_agent_diff: { agent_name: 'sony' },
  show_agent_checks: { agent_name: 'sony' },
  wait_for_agents: { timeout_seconds: 0 },
  list_approvals: {},
  list_tool_agents: {},
  list_kept: {},
  list_conflicts: {},
  show_forecast: { project: 'Setup' },
  list_checkpoints: { agent_name: 'sony' },
  list_review_comments: { agent_name: 'sony' },
  compare_agents: { agent_names: 'sony,papi' },
};

const APPROVE: Readonly<Record<string, Answer>> = {
  respond_approval: { id: 'ffffffff-1', decision: 'allow' },
  list_browser_sessions: {},
  end_browser_session: { id: 'ffffffff' },
  list_tokens: {},
  revoke_token: { name: 'nobody' },
};

const LAND: Readonly<Record<string, Answer>> = Object.fromEntries(
  [...WORK_CHANGES].map((operation) => [
    operation,
    {
      agent_name: 'sony',
      agent_names: 'sony',
      project: 'Setup',
      path: 'x',
      line: 1,
      text: 'x',
      task: 'x',
      count: 2,
      id: 'ffffffff-1',
      land_id: 'ffffffff-2',
    },
  ]),
);

/** In an order in which each of them can be done. */
const OPERATE: Readonly<Record<string, Answer>> = {
  create_agent: { project: 'Setup', task: 'hello', name: 'made', spec: 'checks: ["true"]' },
  check_agent: { agent_name: 'made' },
  set_agent_metadata: { agent_name: 'made', key: 'fleet_mcp_a', value: 'b' },
  start_agent_task: { agent_name: 'made', task_description: 'more', when_busy: 'queue' },
  acknowledge_agent: { agent_name: 'made' },
  stop_agent: { agent_name: 'made' },
  restart_agent: { agent_name: 'made' },
  cancel_agent_task: { agent_name: 'made' },
  delete_agent: { agent_name: 'made' },
  restore_agent: { workspace_id: '00000000-0000-4000-8000-000000000000' },
};

describe('scopes', () => {
  it('read allows the looks and nothing that changes anything [OP-scope-read]', async () => {
    const reader = as('read');
    for (const [operation, input] of Object.entries(READ)) await reader(operation, input);
    const before = await state();
    for (const operation of OPERATIONS.filter(({ hints }) => !hints.readOnly)) {
      const given = { ...OPERATE[operation.name], ...APPROVE[operation.name], ...LAND[operation.name] };
      const input = { ...given, agent_name: 'sony', message: 'x' };
      const error = await failure(reader(operation.name, inputFor(operation.name, input)));
      expect([operation.name, error.code]).toEqual([operation.name, 'FORBIDDEN']);
    }
    expect(withoutAsOf(await state())).toEqual(withoutAsOf(before));
    expect(
      OPERATIONS.filter(({ hints, scopes }) => hints.readOnly && scopes.includes('read'))
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(READ).toSorted());
  });

  it('operate is needed for what changes agents, and is enough for it [OP-scope-operate]', async () => {
    const others = as('read', 'approve', 'self');
    for (const [operation, input] of Object.entries(OPERATE)) {
      const error = await failure(others(operation, input));
      expect([operation, error.code]).toEqual([operation, 'FORBIDDEN']);
    }
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['papi', 'sony']);
    const operator = as('operate');
    const done: string[] = [];
    let deleted: Answer = {};
    for (const [operation, input] of Object.entries(OPERATE)) {
      if (operation === 'cancel_agent_task') {
        await waitIdle(ask, 'made');
        await heldTask(ask, { directory: fleet.directory, agent_name: 'made' });
      }
      const answer = await operator(operation, { ...input, ...deleted });
      deleted = operation === 'delete_agent' ? { workspace_id: answer['workspace_id'] } : {};
      done.push(operation);
    }
    expect(done).toEqual(Object.keys(OPERATE));
    await operator('delete_agent', { agent_name: 'made' });
    for (const [operation, input] of Object.entries(READ))
      expect((await failure(operator(operation, input))).code).toBe('FORBIDDEN');
  });

  it('self allows an agent ten things about itself and none about another [OP-scope-self]', async () => {
    const own: Readonly<Record<string, Answer>> = {
      show_agent: {},
      start_agent_task: { task_description: 'from myself' },
      show_agent_task_history: {},
      show_agent_log: {},
      show_agent_conversation: {},
      show_agent_checks: {},
      show_agent_diff: {},
      list_checkpoints: {},
      set_agent_metadata: { key: 'fleet_mcp_mood', value: 'good' },
      report_task: { message: 'done' },
    };
    for (const [operation, input] of Object.entries(own)) {
      const answer = await sony(operation, { ...input, agent_name: 'Sony' });
      expect([operation, JSON.stringify(answer)]).toEqual([
        operation,
        expect.stringContaining('"sony"') as string,
      ]);
      const error = await failure(sony(operation, { ...input, agent_name: 'papi' }));
      expect([operation, error.code]).toEqual([operation, 'FORBIDDEN']);
    }
    for (const operation of OPERATIONS.filter(({ name }) => !Object.hasOwn(own, name))) {
      const given = { ...READ[operation.name], ...OPERATE[operation.name], ...APPROVE[operation.name] };
      const input = { ...given, ...LAND[operation.name] };
      const error = await failure(
        sony(operation.name, inputFor(operation.name, { ...input, agent_name: 'sony' })),
      );
      expect([operation.name, error.code]).toEqual([operation.name, 'FORBIDDEN']);
    }
    await waitIdle(ask, 'sony');
    expect((await agentOf(ask, 'sony')).fleet_metadata['fleet_mcp_mood']).toBe('good');
    expect((await history(ask, 'papi')).map(({ message }) => message)).toEqual(['get ready']);
  });

  it('self holds for an agent that asks through the store of the fleet', async () => {
    const caller: Caller = {
      principal: { kind: 'agent', name: 'sony' },
      door: 'self',
      source: 'agent',
      scopes: new Set(['self']),
      self: { agent_name: 'sony' },
    };
    const inside = askAs(fleet.fleet, caller);
    expect((await failure(inside('show_agent', { agent_name: 'papi' }))).code).toBe('FORBIDDEN');
    expect(await inside('show_agent', { agent_name: 'sony' })).toMatchObject({ agent: { name: 'sony' } });
    expect(await inside('report_task', { message: 'through the other interface' })).toMatchObject({
      agent_name: 'sony',
    });
  });
});

describe('an agent about itself', () => {
  it('can only queue a task, which runs after the current one [OP-self-queue-only]', async () => {
    const held = await heldTask(ask, {
      directory: fleet.directory,
      agent_name: 'sony',
      before: [{ queue: script({ say: 'queued from inside' }) }],
    });
    for (const when_busy of ['interrupt', 'reject'])
      expect(
        (await failure(sony('start_agent_task', own({ task_description: 'now', when_busy })))).code,
      ).toBe('FORBIDDEN');
    for (const input of [{}, { when_busy: 'queue' }])
      expect(await sony('start_agent_task', own({ task_description: 'later', ...input }))).toMatchObject({
        task: { state: 'queued' },
        agent_status: 'busy',
      });
    expect(await agentOf(ask, 'sony')).toMatchObject({ current_task: held.message, queue_length: 3 });
    held.release();
    await waitIdle(ask, 'sony');
    const rows = (await history(ask, 'sony')).slice(0, 4);
    expect(rows.map(({ state, source }) => [state, source])).toEqual([
      ['complete', 'agent'],
      ['complete', 'agent'],
      ['complete', 'agent'],
      ['complete', 'human'],
    ]);
    const said = (await logOf(ask, 'sony'))
      .filter(({ type }) => type === 'output')
      .map(({ message }) => message);
    expect(said.slice(0, 3)).toEqual(['did: later', 'did: later', 'queued from inside']);
  });

  it('reports, and gets the time at which that was recorded [OP-report_task]', async () => {
    const answer = await sony('report_task', { message: 'half way', uri: 'https://example.com/pr/1' });
    expect(answer).toEqual({ agent_name: 'sony', recorded_at: expect.any(String) as string });
    expect((await history(ask, 'sony'))[0]).toMatchObject({
      kind: 'report',
      message: 'half way',
      uri: 'https://example.com/pr/1',
      created_at: answer['recorded_at'],
    });
  });

  it('reports a state, and the row is finished at once, failed for failure alone [OP-report_task-state]', async () => {
    for (const state of ['working', 'idle', 'complete', 'failure', undefined]) {
      await sony('report_task', { message: `state ${state}`, ...(state === undefined ? {} : { state }) });
      const [row] = await history(ask, 'sony');
      expect(row).toMatchObject({
        message: `state ${state}`,
        state: state === 'failure' ? 'failed' : 'complete',
        needs_user_attention: state === 'failure',
        finished_at: row?.['created_at'],
      });
    }
    expect((await agentOf(ask, 'sony')).needs_attention).toBe(true);
    for (const state of ['done', 'failed', ''])
      expect((await failure(sony('report_task', { message: 'x', state }))).code).toBe('INVALID_INPUT');
    await ask('acknowledge_agent', { agent_name: 'sony' });
  });
});

describe('what is recorded', () => {
  it('carries the principal and the interface it came through [AGENT-principal-recorded]', async () => {
    await ask('set_agent_metadata', { agent_name: 'papi', key: 'fleet_mcp_by', value: 'human' });
    await askAs(fleet.fleet, AI)('start_agent_task', {
      agent_name: 'papi',
      task_description: script({ report: 'r' }),
    });
    await waitIdle(ask, 'papi');
    await askAs(fleet.fleet, AI)('stop_agent', { agent_name: 'papi' });
    const { facts } = await fleet.fleet.facts('papi');
    const by = (kind: string): unknown => facts.findLast((fact) => fact.body.kind === kind)?.by;
    expect(by('agent.created')).toEqual({ principal: 'user:tester', door: 'cli' });
    expect(by('metadata.set')).toEqual({ principal: 'user:tester', door: 'cli' });
    expect(by('task.accepted')).toEqual({ principal: 'mcp:stdio', door: 'mcp-stdio' });
    expect(by('report')).toEqual({ principal: 'agent:papi', door: 'self' });
    expect(by('task.started')).toEqual({ principal: 'fleet:fleet', door: 'fleet' });
    expect(by('agent.stop_requested')).toEqual({ principal: 'mcp:stdio', door: 'mcp-stdio' });
    for (const fact of facts) {
      expect(fact.by.principal).toMatch(/^(user:tester|mcp:stdio|agent:papi|fleet:fleet)$/);
      expect(fact.by.door).not.toBe('');
    }
  });
});

function as(...scopes: Scope[]): Ask {
  return askAs(fleet.fleet, { ...HUMAN, scopes: new Set(scopes) });
}

function own(input: Answer): Answer {
  return { agent_name: 'sony', ...input };
}

/** The part of an input that an operation knows. */
function inputFor(operation: string, input: Answer): Answer {
  const known = Object.keys(OPERATIONS.find(({ name }) => name === operation)?.input.shape ?? {});
  return Object.fromEntries(Object.entries(input).filter(([key]) => known.includes(key)));
}

async function state(): Promise<unknown> {
  return [await agentsOf(ask), await agentOf(ask, 'sony'), await history(ask, 'sony')];
}
