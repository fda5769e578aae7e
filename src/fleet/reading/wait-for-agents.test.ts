import { describe, expect, it } from 'vitest';
import { fixedFleet, NOW } from '../../../test/support/fleets/fixed-fleet.ts';
import type { AgentRecord } from '../../backends/backend.ts';
import type { AgentState } from '../../domain/state.ts';
import { waitForAgents, type WaitParts, type WaitRequest } from './wait-for-agents.ts';

const BUSY: Partial<AgentState> = { queue: ['task'] };
const HUMAN: Partial<AgentState> = { attention: { reason: 'help', since: '2026-11-01T10:00:00.000Z' } };

describe('waiting until agents are idle', () => {
  it('ends at once when all have nothing to do, also those that are offline', async () => {
    const world = makeWorld({ a: {}, b: { phase: 'stopped' } });
    expect(await world.wait({})).toMatchObject({
      agents: [{ name: 'a' }, { name: 'b' }],
      timed_out: false,
      cursor: '0',
    });
    expect(world.waits).toEqual([]);
  });

  it('goes on until the last one is idle', async () => {
    const world = makeWorld({ a: BUSY, b: {} }, [
      (change) => change('b', {}),
      (change) => change('a', { queue: [] }),
    ]);
    const { agents, timed_out, cursor } = await world.wait({ until: 'idle' });
    expect([agents.map(({ name }) => name), timed_out, cursor]).toEqual([['a', 'b'], false, '2']);
    expect(world.waits).toHaveLength(2);
  });

  it('goes on while an agent is starting', async () => {
    const world = makeWorld({ a: { phase: 'starting' } }, [(change) => change('a', { phase: 'ready' })]);
    expect(await world.wait({})).toMatchObject({ timed_out: false });
    expect(world.waits).toHaveLength(1);
  });

  it('looks only at agents that are named, in any case and with spaces', async () => {
    const world = makeWorld({ a: BUSY, b: {}, c: {} });
    for (const agent_names of [' B , c,', ['b', 'C']]) {
      const { agents } = await world.wait({ agent_names });
      expect(agents.map(({ name }) => name)).toEqual(['b', 'c']);
    }
  });

  it('ends with all agents when the time is up: after a minute, or when the caller says', async () => {
    const minute = makeWorld({ a: BUSY });
    expect(await minute.wait({})).toMatchObject({ agents: [{ name: 'a' }], timed_out: true });
    expect(minute.elapsed()).toBe(60_000);
    const short = makeWorld({ a: BUSY });
    expect(await short.wait({ timeout_seconds: 7 })).toMatchObject({ timed_out: true });
    expect(short.waits).toEqual([5_000, 2_000]);
    expect(await makeWorld({ a: BUSY }).wait({ timeout_seconds: 0 })).toMatchObject({ timed_out: true });
  });

  it('says every five seconds what it waits for', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const world = makeWorld({ ...Object.fromEntries(names.map((name) => [name, BUSY])), g: {} }, [
      (change) => names.forEach((name) => name !== 'a' && change(name, { queue: [] })),
    ]);
    await world.wait({ timeout_seconds: 11 });
    expect(world.said).toEqual([
      'waiting for 6 of 7: a (busy), b (busy), c (busy), d (busy), e (busy), …',
      'waiting for 1 of 7: a (busy)',
      'waiting for 1 of 7: a (busy)',
    ]);
  });

  it('stops when the caller gives up', async () => {
    const world = makeWorld({ a: BUSY }, [() => world.abort()]);
    await expect(world.wait({})).rejects.toThrow('given up');
  });
});

describe('waiting for attention', () => {
  it('ends with the agents that need it', async () => {
    const world = makeWorld({ a: BUSY, b: {}, c: {} }, [(change) => change('b', HUMAN)]);
    const { agents } = await world.wait({ until: 'attention' });
    expect(agents.map(({ name }) => name)).toEqual(['b']);
    expect(world.said).toEqual(['waiting for one to need attention among 3']);
  });

  it('looks again when time alone makes an agent stuck', async () => {
    const world = makeWorld({ a: { running: runningSince(NOW), stuck_after_ms: 3_000 } });
    const { agents } = await world.wait({ until: 'attention' });
    expect(agents).toMatchObject([{ name: 'a', stuck: true }]);
    expect(world.waits).toEqual([3_000]);
    const two = makeWorld({
      late: { running: runningSince(NOW), stuck_after_ms: 4_000 },
      soon: { running: runningSince(NOW), stuck_after_ms: 3_000 },
    });
    expect((await two.wait({ until: 'attention' })).agents).toMatchObject([{ name: 'soon' }]);
  });
});

describe('waiting for a change', () => {
  it('ends with the agents that changed after the cursor', async () => {
    const world = makeWorld({ a: {}, b: {} }, [(change) => change('b', BUSY)]);
    const { agents, cursor } = await world.wait({ until: 'any_change' });
    expect([agents.map(({ name }) => name), cursor]).toEqual([['b'], '1']);
    expect(world.said).toEqual(['waiting for a change among 2']);
    const again = await world.wait({ until: 'any_change', cursor: '0' });
    expect(again.agents.map(({ name }) => name)).toEqual(['b']);
  });

  it('ends when an agent is gone, of all or of those that are named', async () => {
    for (const agent_names of [undefined, 'a,b']) {
      const world = makeWorld({ a: {}, b: {} }, [(_, remove) => remove('b')]);
      expect(await world.wait({ until: 'any_change', agent_names })).toMatchObject({
        agents: [],
        timed_out: false,
      });
    }
  });

  it('does not end for a change or an end of an agent that is not named', async () => {
    const world = makeWorld({ a: {}, b: {}, c: {} }, [
      (change) => change('b', BUSY),
      (_, remove) => remove('c'),
    ]);
    expect(await world.wait({ until: 'any_change', agent_names: 'a' })).toMatchObject({ timed_out: true });
  });

  it('tells an agent that became stuck, and not one that was so before', async () => {
    const running = runningSince({ ...NOW, awake_ms: NOW.awake_ms - 4_000 });
    const world = makeWorld({
      before: { running, stuck_after_ms: 1_000 },
      soon: { running, stuck_after_ms: 6_000 },
    });
    const { agents } = await world.wait({ until: 'any_change' });
    expect(agents.map(({ name }) => name)).toEqual(['soon']);
  });

  it('ends at once with all agents when events after the cursor are gone', async () => {
    const world = makeWorld({ a: {}, b: {} });
    const { agents, timed_out } = await world.wait({ until: 'any_change', cursor: '99' });
    expect([agents.length, timed_out]).toEqual([2, false]);
  });
});

describe('a name', () => {
  it('that no agent has is NOT_FOUND, and none at all is INVALID_INPUT', async () => {
    const world = makeWorld({ sony: {} });
    await expect(world.wait({ agent_names: 'sony,sonny' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('"sonny"'),
      details: { field: 'agent_names', nearest: 'sony' },
    });
    await expect(world.wait({ agent_names: ' , ' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('" , "'),
      details: { field: 'agent_names' },
    });
  });

  it('may be gone after the first look, unless its backend does not answer', async () => {
    const gone = makeWorld({ a: {}, b: BUSY }, [(_, remove) => remove('b')]);
    expect(await gone.wait({ agent_names: 'a,b' })).toMatchObject({ agents: [{ name: 'a' }] });
    const silent = makeWorld({ a: {}, b: BUSY }, [
      (_, remove) => {
        remove('b');
        silent.unavailable.push({ message: 'No answer.' }, { message: 'Nor here.' });
      },
    ]);
    await expect(silent.wait({ agent_names: 'a,b' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'No answer. Nor here.',
      details: { reason: 'backend_unavailable' },
    });
    expect(await silent.wait({ agent_names: 'a' })).toMatchObject({ agents: [{ name: 'a' }] });
  });
});

type Step = (
  change: (name: string, state: Partial<AgentState>) => void,
  remove: (name: string) => void,
) => void;

/** Agents in memory and a clock that only waiting moves; each wait takes the next step. */
function makeWorld(agents: Readonly<Record<string, Partial<AgentState>>>, steps: readonly Step[] = []) {
  const { backend, events } = fixedFleet();
  for (const [name, state] of Object.entries(agents)) backend.addAgent(name, state);
  const [waits, said]: [number[], string[]] = [[], []];
  const unavailable: { message: string }[] = [];
  const aborting = new AbortController();
  const left = [...steps];
  let elapsed = 0;
  const parts: WaitParts = {
    clock: { now: () => ({ ...NOW, at: NOW.at + elapsed, awake_ms: NOW.awake_ms + elapsed }) },
    signal: aborting.signal,
    progress: (message) => void said.push(message),
    cursor: () => events.latest(),
    covers: (cursor) => events.covers(cursor),
    agentsChangedSince: (cursor) => events.agentsChangedSince(cursor),
    records: async () => ({ records: [...backend.agents.values()].toReversed(), unavailable }),
    changed: async (timeout) => {
      waits.push(timeout);
      elapsed += timeout;
      left.shift()?.(
        (name, state) => backend.change(name, state),
        (name) => {
          const agent = backend.agents.get(name) as AgentRecord;
          backend.agents.delete(name);
          events.add('agent.deleted', agent);
        },
      );
    },
  };
  return {
    waits,
    said,
    unavailable,
    elapsed: () => elapsed,
    abort: () => aborting.abort(new Error('given up')),
    wait: (request: WaitRequest) => waitForAgents(request, parts),
  };
}

function runningSince(started: typeof NOW): NonNullable<AgentState['running']> {
  const started_at = new Date(started.at).toISOString();
  const rest = { cancel_requested: false, acknowledged: null, resumed: 0, trouble: null };
  return { id: 'task', message: 'work', started_at, started, ...rest };
}
