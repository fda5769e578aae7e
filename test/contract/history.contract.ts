import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  failure,
  idleAgent,
  logOf,
  signalFile,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const agent_name = 'historian';
const CANCELED = 100;
const DONE = ['first', 'second', 'third', 'fourth'];
const REPORT = 'half of it is done';
const URI = 'https://example.com/half?x=1';

/** What every backend promises of the history and the log. */
export function historyContract(subject: Subject): void {
  describe('history and log', () => {
    const { ask } = subject;
    /** The ids of all tasks, newest first, as their acceptance told them. */
    let accepted: unknown[];
    /** The newest rows while the held task ran. */
    let open: Answer[];

    const tasksOf = async (page: number, page_size: number): Promise<Answer[]> =>
      (await ask('show_agent_task_history', { agent_name, page, page_size }))['tasks'] as Answer[];

    /** All rows by going through the pages. */
    const walk = async (operation: string, field: string, page_size: number): Promise<Answer[]> => {
      const rows: Answer[] = [];
      for (let page = 1; ; page++) {
        const answer = await ask(operation, { agent_name, page, page_size });
        rows.push(...(answer[field] as Answer[]));
        if (answer['has_next_page'] !== true) return rows;
      }
    };
    const walkHistory = (page_size: number) => walk('show_agent_task_history', 'tasks', page_size);

    beforeAll(async () => {
      await idleAgent(ask, agent_name, { task: 'zeroth' });
      const go = signalFile(subject.fleet(), 'go-history');
      accepted = [(await tasksOf(1, 1))[0]?.['id']];
      const start = async (task_description: string): Promise<unknown> => {
        const { task } = await ask('start_agent_task', { agent_name, task_description, when_busy: 'queue' });
        accepted.unshift((task as Answer)['id']);
        return accepted[0];
      };
      await start(script({ hold: go }, { say: 'a' }, { say: 'b' }, { complain: 'c' }));
      open = await tasksOf(1, 2);
      for (let index = 0; index < CANCELED; index++) {
        await ask('cancel_agent_task', { agent_name, task_id: await start(`note ${index}`) });
      }
      for (const text of DONE) await start(text);
      await start(script({ report: REPORT, uri: URI }, { report: 'stop', state: 'failure' }));
      await start(script({ exit: 4 }));
      writeFileSync(go, '');
      await waitIdle(ask, agent_name);
    });

    it('answers a page of the history with all its fields [T-history-output, T-history-default-page]', async () => {
      const answer = await ask('show_agent_task_history', { agent_name });
      expect(answer).toEqual({
        agent_name,
        tasks: expect.any(Array),
        total_count: accepted.length + 2,
        page: 1,
        page_size: 20,
        total_pages: 6,
        has_next_page: true,
        has_previous_page: false,
        as_of: expect.any(String),
      });
      expect(answer['tasks']).toEqual((await walkHistory(100)).slice(0, 20));
    });

    it('has all of a task in its row [T-history-row, FR-017]', async () => {
      for (const row of await walkHistory(100)) {
        expect(row).toEqual({
          id: expect.stringMatching(/\S/),
          kind: expect.stringMatching(/^(task|report)$/),
          message: expect.stringMatching(/\S/),
          uri: row['kind'] === 'task' ? null : row['uri'],
          needs_user_attention: expect.any(Boolean),
          created_at: expect.any(String),
          state: expect.stringMatching(/^(complete|failed|canceled)$/),
          source: expect.stringMatching(/^(human|ai|agent)$/),
          started_at: row['state'] === 'canceled' || row['kind'] === 'report' ? null : expect.any(String),
          finished_at: expect.any(String),
          result:
            row['kind'] === 'report'
              ? null
              : row['state'] === 'complete'
                ? row['result']
                : expect.any(String),
          tokens: null,
          cost: null,
        });
        const { created_at, finished_at } = row;
        expect(Date.parse(String(finished_at))).toBeGreaterThanOrEqual(Date.parse(String(created_at)));
      }
      expect(open).toMatchObject([
        { state: 'running', created_at: expect.any(String), finished_at: null },
        { state: 'complete', created_at: expect.any(String), finished_at: expect.any(String) },
      ]);
    });

    it('has when a task ran, and what it printed last or why it did not complete [T-history-result]', async () => {
      const tasks = (await walkHistory(100)).filter((row) => row['kind'] === 'task');
      const held = tasks.find((row) => String(row['message']).includes('hold'));
      const [created, started, finished] = ['created_at', 'started_at', 'finished_at'].map((key) =>
        Date.parse(String(held?.[key])),
      );
      expect(started).toBeGreaterThanOrEqual(created ?? Number.NaN);
      expect(finished).toBeGreaterThanOrEqual(started ?? Number.NaN);
      expect(String(held?.['result']).split('\n').toSorted()).toEqual(['a', 'b', 'c']);
      const why = expect.stringMatching(/^the (program|script) ended with exit code 4$/);
      expect(tasks[0]).toMatchObject({ state: 'failed', result: why });
      expect(tasks.find((row) => row['message'] === 'note 0')).toMatchObject({
        state: 'canceled',
        result: expect.stringContaining('canceled'),
      });
      const { agent } = (await ask('show_agent', { agent_name })) as { agent: Answer };
      expect(agent).toMatchObject({
        last_task_state: 'failed',
        last_result: why,
      });
      const { agents } = await ask('wait_for_agents', { agent_names: agent_name });
      expect(agents).toMatchObject([{ last_task_state: 'failed', last_result: why }]);
    });

    it('gives more than 100 tasks page by page, each once, newest first [SC-003, FR-015, T-history-newest-first]', async () => {
      expect(accepted.length).toBeGreaterThan(100);
      for (const size of [7, 20, 100]) {
        const tasks = (await walkHistory(size)).filter((row) => row['kind'] === 'task');
        expect(tasks.map((row) => row['id'])).toEqual(accepted);
      }
      const times = (await walkHistory(100)).map((row) => String(row['created_at']));
      expect(times).toEqual(times.toSorted().toReversed());
    });

    it('gives completed tasks with what they were and when [US1-4]', async () => {
      const complete = (await walkHistory(3)).filter((row) => row['state'] === 'complete');
      const messages = complete.filter((row) => row['kind'] === 'task').map((row) => row['message']);
      expect(messages.slice(1, 5)).toEqual(DONE.toReversed());
      expect(messages.at(-1)).toBe('zeroth');
      for (const { created_at, finished_at } of complete) {
        expect([created_at, finished_at]).toEqual([expect.stringMatching(/Z$/), expect.stringMatching(/Z$/)]);
      }
    });

    it('has what the agent reported [FR-016]', async () => {
      const reports = (await walkHistory(100)).filter((row) => row['kind'] === 'report');
      expect(reports).toMatchObject([
        { message: 'stop', uri: null, state: 'failed', source: 'agent' },
        { message: REPORT, uri: URI, state: 'complete', source: 'agent' },
      ]);
    });

    it('is empty past its end, in the history and in the log [EDGE-08]', async () => {
      for (const [operation, field] of [
        ['show_agent_task_history', 'tasks'],
        ['show_agent_log', 'logs'],
      ] as const) {
        const { total_count } = await ask(operation, { agent_name });
        for (const page of [1_000, 1_000_000_000]) {
          const answer = await ask(operation, { agent_name, page, page_size: 20 });
          expect(answer).toMatchObject({ [field]: [], total_count, page, has_next_page: false });
          expect(answer['has_previous_page']).toBe(true);
        }
      }
    });

    it('refuses pages that cannot be [T-paging-bounds]', async () => {
      for (const operation of ['show_agent_task_history', 'show_agent_log']) {
        for (const [field, value] of [
          ['page', 0],
          ['page', -1],
          ['page', 1.5],
          ['page_size', 0],
          ['page_size', 101],
          ['page_size', -5],
        ] as const) {
          const error = await failure(ask(operation, { agent_name, [field]: value }));
          expect(error, `${operation} ${field} ${value}`).toMatchObject({
            code: 'INVALID_INPUT',
            details: { field },
          });
        }
        for (const page_size of [1, 100]) {
          expect(await ask(operation, { agent_name, page_size })).toMatchObject({ page: 1, page_size });
        }
      }
    });

    it('answers a page of the log with all its fields [T-log-output, T-log-level-type]', async () => {
      const answer = await ask('show_agent_log', { agent_name, page: 2, page_size: 5 });
      const history = await ask('show_agent_task_history', { agent_name, page: 2, page_size: 5 });
      const paging = Object.keys(history).filter((key) => key !== 'tasks');
      expect(Object.keys(answer).toSorted()).toEqual(['logs', ...paging].toSorted());
      expect(answer).toMatchObject({ agent_name, page: 2, page_size: 5, has_previous_page: true });
      const entries = await logOf(ask, agent_name);
      expect(answer['logs']).toEqual(entries.slice(5, 10));
      expect(answer['total_count']).toBe(entries.length);
      for (const entry of entries) {
        expect(entry).toEqual({
          id: expect.any(Number),
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          message: expect.any(String),
          level: expect.stringMatching(/^(DEBUG|INFO|WARN|ERROR)$/),
          type: expect.stringMatching(/^(input|output|tool|system)$/),
        });
      }
      const kinds = new Set(entries.map((entry) => `${String(entry['level'])} ${String(entry['type'])}`));
      for (const kind of ['INFO input', 'INFO output', 'WARN output', 'ERROR system']) {
        expect(kinds).toContain(kind);
      }
    });

    it('gives the newest entry of the log alone unless asked for more [T-log-default-page]', async () => {
      const answer = await ask('show_agent_log', { agent_name });
      expect(answer).toMatchObject({ page: 1, page_size: 1, has_next_page: true });
      expect(answer['logs']).toEqual((await logOf(ask, agent_name)).slice(0, 1));
      expect((answer['logs'] as Answer[])[0]).toMatchObject({ level: 'ERROR', type: 'system' });
    });

    it('searches the whole log, in pages [OP-log-search]', async () => {
      const whole = await logOf(ask, agent_name);
      const word = String(whole.at(-1)?.['message'] ?? '').slice(0, 3);
      const found = whole.filter(({ message }) => String(message).toLowerCase().includes(word.toLowerCase()));
      expect(found.length).toBeGreaterThan(0);
      const answer = await ask('show_agent_log', { agent_name, search: word.toUpperCase(), page_size: 100 });
      expect(answer).toMatchObject({ logs: found, total_count: found.length });
      const last = await ask('show_agent_log', { agent_name, search: word, page: found.length });
      expect(last).toMatchObject({ logs: found.slice(-1), has_next_page: false });
      const none = await ask('show_agent_log', { agent_name, search: 'nowhere to be found' });
      expect(none).toMatchObject({ logs: [], total_count: 0, total_pages: 0 });
      for (const search of ['', 'a\0b'])
        expect(await failure(ask('show_agent_log', { agent_name, search }))).toMatchObject({
          code: 'INVALID_INPUT',
          details: { field: 'search' },
        });
    });

    it('gives the log newest first, over pages too [T-log-newest-first]', async () => {
      const whole = await logOf(ask, agent_name);
      for (const size of [1, 4]) expect(await walk('show_agent_log', 'logs', size)).toEqual(whole);
      const ids = whole.map((entry) => Number(entry['id']));
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      const times = whole.map((entry) => String(entry['timestamp']));
      expect(times).toEqual(times.toSorted().toReversed());
      const said = whole.map((entry) => entry['message']).filter((text) => text === 'a' || text === 'b');
      expect(said).toEqual(['b', 'a']);
    });
  });
}
