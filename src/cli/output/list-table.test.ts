import { PassThrough } from 'node:stream';
import { array, assert, constantFrom, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentListView } from '../../domain/agent.ts';
import type { HistoryRow } from '../../domain/task.ts';
import { historyTable } from '../commands/history.ts';
import { listTable } from './list-table.ts';
import { Output, plain } from './output.ts';
import { displayWidth } from './display-width.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const LONG = 'word '.repeat(40).trim();
const SCREEN = { columns: 80, paint: plain };

const agent: AgentListView = {
  name: 'sony',
  workspace_id: '3f2a9c1e-0000-4000-8000-000000000000',
  status: 'idle',
  status_reason: 'ready, no task',
  role: 'coder',
  project: 'Setup',
  current_task: null,
  last_task: 'write tests',
  last_task_state: 'complete',
  last_result: null,
  needs_attention: false,
  attention_reason: null,
  stuck: false,
  busy_since: null,
  pull_request: null,
  created_at: '2026-03-01T11:00:00.000Z',
  updated_at: '2026-03-01T11:58:00.000Z',
  metadata_count: 0,
  metadata_collected_at: null,
  metadata: {},
  git: null,
  checks: null,
  queue_length: 0,
  cost: null,
  tokens: null,
  created_by: 'user:me',
};

describe('the list', () => {
  it('has those that need a person first, with the reason in a column of its own', () => {
    const reason = 'task 3f2a9c1e-0000-4000-8000-000000000000 failed';
    const asks = { ...agent, name: 'zoe', needs_attention: true, attention_reason: reason };
    const lines = listTable([agent, asks], NOW, { ...SCREEN, columns: 100 }).split('\n');
    expect(lines).toEqual([
      'NEEDS YOU  STATUS  PROJECT  ROLE   CHANGED  TASK         REASON',
      'zoe        idle    Setup    coder  2m       write tests  task 3f2a9c1e failed',
      '',
      'NAME  STATUS  PROJECT  ROLE   QUEUE  CHANGED  TASK',
      'sony  idle    Setup    coder  -      2m       write tests',
      '',
    ]);
  });

  it('shows a failed last task, and not in green, after it was acknowledged', () => {
    const failed: AgentListView = { ...agent, last_task_state: 'failed' };
    const text = listTable([failed], NOW, { columns: 80, paint: (style, cell) => `<${style}>${cell}` });
    expect(text).toContain('failed: write tests');
    expect(text).not.toContain('<green>');
  });

  it('is cut to the width of the terminal that it is printed on', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const out = new Output(terminal, { NO_COLOR: '1' }, () => {});
    const asks = { ...agent, needs_attention: true, attention_reason: LONG };
    const lines = listTable([asks, { ...agent, last_task: LONG }], NOW, out).split('\n');
    expect(lines.filter((line) => displayWidth(line) === 80 && line.endsWith('…'))).toHaveLength(2);
  });

  it('fits 80 columns, and leaves the task or the reason 30 of them, whatever the names are', () => {
    const name = string({ minLength: 1, maxLength: 32, unit: constantFrom('a', 'b') });
    const text = constantFrom(LONG, 'short');
    const agents = array(
      record({ name, project: name, role: name, last_task: text, attention_reason: text }),
      { minLength: 1, maxLength: 5 },
    );
    assert(
      property(agents, agents, (asking, others) => {
        const all: AgentListView[] = [
          ...asking.map((given) => ({ ...agent, ...given, needs_attention: true })),
          ...others.map((given) => ({ ...agent, ...given, metadata: { coverage: 81 } })),
        ];
        const lines = listTable(all, NOW, SCREEN).split('\n');
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
        const cut = lines.filter((line) => line.endsWith('…'));
        for (const line of cut) expect(displayWidth(/ (word .*)$/.exec(line)?.[1] ?? '')).toBeGreaterThan(28);
      }),
    );
  });
});

it('a history fits 80 columns, with 30 of them for the message, also when it is old', () => {
  const row: HistoryRow = {
    id: '3f2a9c1e-0000-4000-8000-000000000000',
    kind: 'report',
    message: LONG,
    uri: 'https://example.com/pull/7',
    needs_user_attention: true,
    created_at: '2026-01-02T11:00:00.000Z',
    state: 'interrupted',
    source: 'human',
    started_at: null,
    result: null,
    finished_at: '2026-01-04T11:00:00.000Z',
    tokens: null,
    cost: null,
  };
  const [, first = '', below] = historyTable([row], NOW, SCREEN).split('\n');
  expect(displayWidth(first)).toBe(80);
  expect(first).toContain('3f2a9c1e  word');
  expect(/word.*$/.exec(first)?.[0].length).toBeGreaterThanOrEqual(30);
  expect(below).toBe('  https://example.com/pull/7');
});
