import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_TOTAL_LIMIT } from '../domain/metadata/metadata.ts';
import { FLEET_ACTOR, type Actor } from '../domain/principal.ts';
import { EMPTY_STATE, fold } from '../domain/state.ts';
import { QUEUE_LIMIT, WHEN_BUSY, type WhenBusy } from '../domain/task.ts';
import { Journal } from './journal/journal.ts';
import { TaskCommands } from './task-commands.ts';

const BY: Actor = { principal: 'user:tester', door: 'cli' };
const clock = { now: () => ({ at: 1_800_000_000_000, awake_ms: 1, boot: 'boot' }) };

function readyJournal(): Journal {
  const journal = new Journal(':memory:', clock);
  journal.append(
    BY,
    { kind: 'agent.created', name: 'sony', project: 'Setup', role: 'coder', stuck_after_ms: 1000 },
    { kind: 'runner.started', generation: 1, pid: 1, version: '1' },
    { kind: 'agent.admitted' },
    { kind: 'agent.ready' },
  );
  return journal;
}

type Request =
  | { readonly do: 'accept'; readonly id: number; readonly when_busy: WhenBusy }
  | { readonly do: 'cancel'; readonly id: number | undefined }
  | { readonly do: 'start' | 'complete' | 'die' | 'stop' | 'restart' | 'delete' };

const request: fc.Arbitrary<Request> = fc.oneof(
  fc.record({
    do: fc.constant('accept' as const),
    id: fc.nat({ max: 12 }),
    when_busy: fc.constantFrom(...WHEN_BUSY),
  }),
  fc.record({ do: fc.constant('cancel' as const), id: fc.option(fc.nat({ max: 12 }), { nil: undefined }) }),
  fc.record({
    do: fc.constantFrom(
      ...(['start', 'start', 'start', 'complete', 'complete', 'die', 'stop', 'restart', 'delete'] as const),
    ),
  }),
);

/** What a runner does with a journal, in the order of its own life. */
function perform(journal: Journal, wish: Request): void {
  const commands = new TaskCommands(journal);
  const { running, queue, phase } = journal.state();
  switch (wish.do) {
    case 'accept':
      commands.accept({
        task_id: `t${wish.id}`,
        message: `text ${wish.id}`,
        when_busy: wish.when_busy,
        source: 'ai',
        by: BY,
      });
      return;
    case 'cancel':
      commands.cancel({ ...(wish.id === undefined ? {} : { task_id: `t${wish.id}` }), by: BY });
      return;
    case 'start':
      if (phase === 'ready' && running === null && queue[0] !== undefined)
        journal.append(FLEET_ACTOR, {
          kind: 'task.started',
          task_id: queue[0],
          message: commands.row(queue[0]).message,
        });
      return;
    case 'complete':
    case 'die':
      if (running !== null) end(journal, running.id, running.cancel_requested ? 'canceled' : 'complete');
      return;
    case 'stop':
    case 'restart':
      if (running !== null) end(journal, running.id, 'interrupted');
      journal.append(
        BY,
        { kind: 'agent.restart_requested' },
        { kind: 'agent.admitted' },
        { kind: 'agent.ready' },
      );
      return;
    case 'delete':
      commands.cancelQueue(BY);
      return;
  }
}

function end(journal: Journal, task_id: string, state: 'complete' | 'canceled' | 'interrupted'): void {
  journal.append(FLEET_ACTOR, { kind: 'task.ended', task_id, state, reason: 'it ended' });
}

describe('whatever is asked of a commands', () => {
  it('a task is accepted, started and ended at most once each, and in that order', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40, size: 'max' }), (wishes) => {
        using journal = readyJournal();
        for (const wish of wishes) {
          const before = journal.facts().length;
          try {
            perform(journal, wish);
          } catch {
            // A refusal changes nothing.
            expect(journal.facts()).toHaveLength(before);
          }
          const { queue, running } = journal.state();
          expect(new Set([...queue, running?.id]).size).toBe(queue.length + 1);
        }
        const lives = new Map<string, string[]>();
        for (const { body } of journal.facts()) {
          if (body.kind !== 'task.accepted' && body.kind !== 'task.started' && body.kind !== 'task.ended')
            continue;
          lives.set(body.task_id, [...(lives.get(body.task_id) ?? []), body.kind.slice(5)]);
        }
        for (const life of lives.values())
          expect(['accepted', 'accepted started', 'accepted ended', 'accepted started ended']).toContain(
            life.join(' '),
          );
        expect(journal.facts().reduce(fold, EMPTY_STATE)).toEqual(journal.state());
        expectHistoryOf(journal, lives);
      }),
    );
  });
});

/** The rows that are shown say the same as the facts. */
function expectHistoryOf(journal: Journal, lives: ReadonlyMap<string, readonly string[]>): void {
  const { rows, total_count } = journal.history({ page: 1, page_size: 100 });
  expect(total_count).toBe(lives.size);
  const { queue, running } = journal.state();
  for (const { id, state, finished_at } of rows) {
    expect(finished_at !== null).toBe(lives.get(id)?.includes('ended') === true);
    if (finished_at === null) expect(state).toBe(id === running?.id ? 'running' : 'queued');
    expect(queue.includes(id)).toBe(state === 'queued');
  }
}

describe('a commands', () => {
  let journal: Journal;
  let commands: TaskCommands;
  beforeEach(() => {
    journal = readyJournal();
    commands = new TaskCommands(journal);
  });
  afterEach(() => journal[Symbol.dispose]());
  const accept = (task_id: string, message = 'text') =>
    commands.accept({ task_id, message, when_busy: 'queue', source: 'human', by: BY });

  it('gives the same task for the same id, and refuses the id for another text', () => {
    expect(accept('a')).toEqual(accept('a'));
    expect(() => accept('a', 'another')).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(journal.state().queue).toEqual(['a']);
  });

  it(`queues ${QUEUE_LIMIT} tasks at most`, () => {
    for (let index = 0; index < QUEUE_LIMIT; index++) accept(`t${index}`);
    expect(() => accept('one too many')).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(journal.historyRow('one too many')).toBeUndefined();
  });

  it('keeps metadata up to 1 MiB for an agent, and takes removing at any size', () => {
    const value = 'v'.repeat(4096);
    let used = 0;
    let count = 0;
    while (used + value.length + keyOf(count).length <= METADATA_TOTAL_LIMIT) {
      commands.setMetadata(keyOf(count), value, BY);
      used += value.length + keyOf(count++).length;
    }
    expect(() => commands.setMetadata(keyOf(count), value, BY)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
    expect(Object.keys(journal.metadata())).toHaveLength(count);
    commands.setMetadata(keyOf(0), null, BY);
    commands.setMetadata(keyOf(count), value, BY);
    expect(Object.keys(journal.metadata())).toHaveLength(count);
  });

  it('learns of a pull request from a report, and takes the report when there is no room for that', () => {
    const report = (report_id: string, uri: string | null) =>
      commands.report({ report_id, message: 'done', uri, state: 'complete', by: BY });
    const url = () => journal.metadata()['fleet_mcp_pull_request_url'];
    report('r1', 'https://git.example.com/wiki/pull/');
    expect(url()).toBeUndefined();
    report('r2', 'https://git.example.com/team/setup/pull/7');
    report('r3', null);
    expect(url()).toBe('https://git.example.com/team/setup/pull/7');
    const value = 'v'.repeat(4096);
    for (let count = 0; count < 255; count++) commands.setMetadata(keyOf(count), value, BY);
    report('r4', `https://git.example.com/${'team'.repeat(500)}/setup/pull/8`);
    expect(url()).toBe('https://git.example.com/team/setup/pull/7');
    expect(commands.row('r4').kind).toBe('report');
  });

  it('takes no task for an agent that is offline', () => {
    journal.append(BY, { kind: 'agent.stop_requested' });
    expect(() => accept('a')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    journal.append(BY, { kind: 'agent.stopped' });
    expect(() => accept('a')).toThrow(/restart_agent/);
  });
});

function keyOf(index: number): string {
  return `fleet_mcp_${String(index).padStart(4, '0')}`;
}
