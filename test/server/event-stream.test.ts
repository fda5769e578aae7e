import { describe, expect } from 'vitest';
import { EVENT_KINDS } from '../../src/domain/fleet-event.ts';
import { serveFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { history, idleAgent, waitIdle, type Answer } from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import { readEvents, type Frame } from './event-reader.ts';

const agent_name = 'sony';
const REPORT = { report: 'half of it', uri: 'https://example.com/1' };
const KEY = 'fleet_mcp_ticket';

/** The life of one agent, as a listener saw it that was there before. */
let seen: readonly Frame[];
let tasks: readonly Answer[];

const it = fleetTest();
it.beforeAll(async ({ served, ask }) => {
  await using listener = await readEvents(served);
  await idleAgent(ask, agent_name);
  await ask('start_agent_task', { agent_name, task_description: script(REPORT, { exit: 3 }) });
  await waitIdle(ask, agent_name);
  await ask('acknowledge_agent', { agent_name });
  await ask('set_agent_metadata', { agent_name, key: KEY, value: 'A-1' });
  await ask('set_agent_metadata', { agent_name, key: KEY, value: null });
  tasks = (await history(ask, agent_name)).filter(({ kind }) => kind === 'task');
  await ask('stop_agent', { agent_name });
  await ask('delete_agent', { agent_name });
  seen = await listener.until((frames) => frames.some(({ data }) => data['status'] === 'deleted'));
});

const dataOf = (kind: string): Frame['data'][] =>
  seen.filter(({ event }) => event === kind).map(({ data }) => data);

describe('/events', () => {
  it('sends each event with its cursor, its kind and whose it is [EV-format]', () => {
    expect(seen.length).toBeGreaterThan(10);
    const workspaces = new Set(seen.map(({ data }) => data.workspace_id));
    expect(workspaces.size).toBe(1);
    for (const { id, event, data } of seen) {
      expect(EVENT_KINDS).toContain(event);
      expect(data).toMatchObject({ cursor: id, kind: event, agent_name });
    }
    const cursors = seen.map(({ id }) => Number(id));
    expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b));
  });

  it('tells of an agent from its creation through every status to its end [EV-agent]', () => {
    expect(dataOf('agent.created')).toMatchObject([{ project: 'Setup', role: 'scripted' }]);
    expect(dataOf('agent.deleted')).toHaveLength(1);
    expect(seen[0]?.event).toBe('agent.created');
    const changes = dataOf('agent.status').map(({ from, status }) => ({ from, status }));
    const statuses = changes.map(({ status }) => status);
    expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual(statuses);
    expect(statuses).toEqual(expect.arrayContaining(['starting', 'busy', 'idle', 'stopped']));
    // Each begins where the one before ended.
    for (const [index, { from }] of changes.slice(1).entries()) expect(from).toBe(statuses[index]);
    expect(statuses.indexOf('busy')).toBeLessThan(statuses.indexOf('idle'));
    expect(statuses.indexOf('idle')).toBeLessThan(statuses.indexOf('stopped'));
  });

  it('tells once each that a task was accepted, has started and has ended [EV-task]', () => {
    expect(tasks.map(({ state }) => state)).toEqual(['failed', 'complete']);
    for (const { id, state } of tasks) {
      const told = seen.filter(({ data }) => data['task_id'] === id);
      expect(told.map(({ event }) => event)).toEqual(['task.accepted', 'task.started', 'task.ended']);
      expect(told[2]?.data).toMatchObject({ state });
    }
    expect(dataOf('task.ended')).toHaveLength(tasks.length);
  });

  it('tells of reports, of attention and of metadata [EV-report-attention-metadata]', () => {
    expect(dataOf('report')).toMatchObject([{ message: REPORT.report, uri: REPORT.uri }]);
    expect(dataOf('attention').map((data) => data['needs_attention'])).toEqual([true, false]);
    expect(dataOf('metadata')).toMatchObject([
      { key: KEY, removed: false },
      { key: KEY, removed: true },
    ]);
    const kinds = seen.map(({ event }) => event);
    const ended = kinds.lastIndexOf('task.ended');
    expect(kinds.indexOf('attention')).toBeGreaterThan(ended);
    expect(kinds.indexOf('report')).toBeLessThan(ended);
  });

  it('goes on after the last cursor, from any server [EV-resume]', async ({ fleet, served, ask }) => {
    const middle = seen[Math.floor(seen.length / 2)]?.id ?? '';
    const rest = seen.slice(Math.floor(seen.length / 2) + 1);
    await using other = await serveFleet(fleet.env);
    for (const server of [served, other]) {
      for (const cursor of [{ query: middle }, { header: middle }, { query: '0', header: middle }]) {
        await using listener = await readEvents(server, cursor);
        await listener.until((frames) => frames.length >= rest.length);
        expect(listener.frames).toEqual(rest);
      }
    }
    // A client of a server that is killed misses nothing of what happens until it comes back elsewhere.
    await using before = await readEvents(other);
    await idleAgent(ask, 'papi');
    const [first] = await before.until((frames) => frames.length > 0);
    await other.kill('SIGKILL');
    await ask('set_agent_metadata', { agent_name: 'papi', key: KEY, value: 'meanwhile' });
    await using after = await readEvents(served, { header: first?.id ?? '' });
    const told = await after.until((frames) => frames.some(({ event }) => event === 'metadata'));
    const all = fleet.fleet.events?.since(first?.id ?? '', 1_000).map(({ cursor }) => cursor) ?? [];
    expect(told.map(({ id }) => id)).toEqual(all.slice(0, told.length));
    expect(told.map(({ event }) => event)).toContain('task.ended');
  });
});
