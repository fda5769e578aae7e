import { describe, expect } from 'vitest';
import type { AgentListView } from '../../src/domain/agent.ts';
import { waitForAgents } from '../../src/fleet/reading/wait-for-agents.ts';
import { invoke } from '../../src/operations/invoke.ts';
import { waitForAgents as waitOperation } from '../../src/operations/wait-for-agents.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  failure,
  HUMAN,
  idleAgent,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask, queueTask, type HeldTask } from './held-task.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await Promise.all(['anna', 'bert', 'cora'].map((name) => idleAgent(ask, name)));
});

describe('waiting until agents are idle', () => {
  it('goes on while one of them runs or has queued, and ends when all are idle or offline [OP-wait-idle]', async ({
    fleet,
    ask,
  }) => {
    await ask('stop_agent', { agent_name: 'cora' });
    const [anna, bert] = await Promise.all([hold(fleet, ask, 'anna'), hold(fleet, ask, 'bert')]);
    await queueTask(ask, 'anna', 'one more');
    const waiting = watched(wait(ask, { agent_names: 'anna,bert,cora' }));
    bert.release();
    await waitIdle(ask, 'bert');
    expect(waiting.settled()).toBe(false);
    expect(await wait(ask, { agent_names: 'anna,bert,cora', timeout_seconds: 0 })).toMatchObject({
      timed_out: true,
    });
    anna.release();
    const { agents, timed_out } = await waiting.answer;
    expect(timed_out).toBe(false);
    expect(agents.map(({ name, status, queue_length }) => ({ name, status, queue_length }))).toEqual([
      { name: 'anna', status: 'idle', queue_length: 0 },
      { name: 'bert', status: 'idle', queue_length: 0 },
      { name: 'cora', status: 'stopped', queue_length: 0 },
    ]);
  });

  it('takes names separated by commas in any spelling, all agents without, and no unknown ones [OP-wait-names]', async ({
    fleet,
    ask,
  }) => {
    const anna = await hold(fleet, ask, 'anna');
    expect(await wait(ask, { agent_names: ' BERT , cora,', timeout_seconds: 0 })).toMatchObject({
      timed_out: false,
      agents: [{ name: 'bert' }, { name: 'cora' }],
    });
    const all = await wait(ask, { timeout_seconds: 0 });
    expect(all.timed_out).toBe(true);
    expect(all.agents.map(({ name }) => name)).toEqual(['anna', 'bert', 'cora']);
    const unknown = await failure(wait(ask, { agent_names: 'bert,nobody' }));
    expect(unknown.code).toBe('NOT_FOUND');
    expect(unknown.message).toContain('"nobody"');
    expect((await failure(wait(ask, { agent_names: ' , ' }))).code).toBe('INVALID_INPUT');
    anna.release();
    await waitIdle(ask, 'anna');
  });

  it('answers the agents as they are and a cursor when time is up [OP-wait-timeout]', async ({
    fleet,
    ask,
  }) => {
    const anna = await hold(fleet, ask, 'anna');
    const answer = await wait(ask, { agent_names: 'anna,bert', timeout_seconds: 0.05 });
    expect(answer).toMatchObject({
      timed_out: true,
      agents: [
        { name: 'anna', status: 'busy', current_task: expect.any(String) as string },
        { name: 'bert', status: 'idle' },
      ],
    });
    expect(answer.cursor).toMatch(/^\d+$/);
    const since = watched(wait(ask, { until: 'any_change', cursor: answer.cursor }));
    anna.release();
    expect((await since.answer).agents.map(({ name }) => name)).toEqual(['anna']);
    await waitIdle(ask, 'anna');
  });

  it('takes 60 s unless the request says otherwise, and at most 3600 [OP-wait-timeout-limits]', async ({
    fleet,
    ask,
  }) => {
    for (const timeout_seconds of [3601, -1, Number.NaN])
      expect((await failure(wait(ask, { timeout_seconds }))).code).toBe('INVALID_INPUT');
    const anna = await hold(fleet, ask, 'anna');
    const { fleet: inner } = fleet;
    const { agent } = await inner.facts('anna');
    const waited = async (request: Answer): Promise<number> => {
      // A clock that goes as far as each wait would: no time is spent.
      let at = 1_000_000;
      const answer = await waitForAgents(request, {
        clock: { now: () => ({ at, awake_ms: 0, boot: 'boot' }) },
        signal: new AbortController().signal,
        progress: () => {},
        cursor: () => '0',
        covers: () => true,
        agentsChangedSince: () => new Set(),
        records: async () => ({ records: [agent], unavailable: [] }),
        changed: async (ms) => {
          at += ms;
        },
      });
      expect(answer.timed_out).toBe(true);
      return (at - 1_000_000) / 1000;
    };
    expect(await waited({})).toBe(60);
    expect(await waited({ timeout_seconds: 3600 })).toBe(3600);
    anna.release();
    await waitIdle(ask, 'anna');
  });

  it('reports progress while it waits, and stops when it is aborted', async ({ fleet, ask }) => {
    const anna = await hold(fleet, ask, 'anna');
    const stop = new AbortController();
    const said = Promise.withResolvers<string>();
    const waiting = invoke(
      waitOperation,
      { agent_names: 'anna,bert', timeout_seconds: 3600 },
      { fleet: fleet.fleet, caller: HUMAN, signal: stop.signal, progress: said.resolve },
    );
    const ended = waiting.then(
      () => 'answered',
      (thrown: unknown) => (thrown instanceof Error ? thrown.name : thrown),
    );
    expect(await said.promise).toContain('waiting for 1 of 2: anna (busy)');
    stop.abort();
    expect(await ended).toBe('AbortError');
    anna.release();
    await waitIdle(ask, 'anna');
  });
});

describe('waiting until an agent needs attention', () => {
  it('ends when one does and names those alone [OP-wait-attention]', async ({ fleet, ask }) => {
    const bert = await hold(fleet, ask, 'bert');
    const waiting = watched(wait(ask, { until: 'attention' }));
    await ask('start_agent_task', { agent_name: 'anna', task_description: 'well' });
    await waitIdle(ask, 'anna');
    expect(waiting.settled()).toBe(false);
    await ask('start_agent_task', { agent_name: 'anna', task_description: script({ exit: 1 }) });
    const { agents, timed_out } = await waiting.answer;
    expect(timed_out).toBe(false);
    expect(agents.map(({ name, needs_attention }) => ({ name, needs_attention }))).toEqual([
      { name: 'anna', needs_attention: true },
    ]);
    expect(await wait(ask, { until: 'attention', agent_names: 'bert', timeout_seconds: 0 })).toMatchObject({
      timed_out: true,
    });
    await ask('acknowledge_agent', { agent_name: 'anna' });
    bert.release();
    await waitIdle(ask, 'anna', 'bert');
  });
});

describe('waiting until anything changes', () => {
  it('ends at the next change after its cursor, also one between two calls [OP-wait-any-change]', async ({
    ask,
  }) => {
    const { cursor } = await wait(ask, { until: 'any_change', timeout_seconds: 0 });
    expect(await wait(ask, { until: 'any_change', cursor, timeout_seconds: 0 })).toMatchObject({
      timed_out: true,
    });
    await note(ask, 'anna');
    const between = await wait(ask, { until: 'any_change', cursor, timeout_seconds: 30 });
    expect(between).toMatchObject({ timed_out: false, agents: [{ name: 'anna' }] });
    const waiting = watched(wait(ask, { until: 'any_change', cursor: between.cursor }));
    const other = watched(wait(ask, { until: 'any_change', cursor: between.cursor, agent_names: 'anna' }));
    await note(ask, 'bert');
    expect((await waiting.answer).agents.map(({ name }) => name)).toEqual(['bert']);
    expect(other.settled()).toBe(false);
    await note(ask, 'anna');
    expect((await other.answer).agents.map(({ name }) => name)).toEqual(['anna']);
  });

  it('ends when an agent was deleted, also between two calls [OP-wait-any-change]', async ({ ask }) => {
    await idleAgent(ask, 'dora');
    const { cursor } = await wait(ask, { until: 'any_change', timeout_seconds: 0 });
    await ask('delete_agent', { agent_name: 'dora' });
    expect(await wait(ask, { until: 'any_change', cursor, timeout_seconds: 2 })).toMatchObject({
      timed_out: false,
    });
  });
});

interface WaitAnswer extends Answer {
  agents: AgentListView[];
  timed_out: boolean;
  cursor: string;
}

function wait(ask: Ask, input: Answer): Promise<WaitAnswer> {
  return ask('wait_for_agents', { timeout_seconds: 50, ...input }) as Promise<WaitAnswer>;
}

function watched(answer: Promise<WaitAnswer>) {
  let settled = false;
  const done = answer.finally(() => (settled = true));
  return { answer: done, settled: () => settled };
}

function hold(fleet: LocalFleet, ask: Ask, agent_name: string): Promise<HeldTask> {
  return heldTask(ask, { directory: fleet.directory, agent_name });
}

let notes = 0;
async function note(ask: Ask, agent_name: string): Promise<void> {
  await ask('set_agent_metadata', { agent_name, key: 'fleet_mcp_note', value: String(++notes) });
}
