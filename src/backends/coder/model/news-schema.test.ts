import { expect, it } from 'vitest';
import { EMPTY_STATE, fold } from '../../../domain/state.ts';
import { newsSchema } from './news-schema.ts';

const git = {
  branch: 'topic',
  base: 'main',
  ahead: 1,
  behind: 0,
  changed_files: 2,
  insertions: 3,
  deletions: 4,
  dirty: true,
  last_commit: null,
};
const news = {
  seq: 1,
  facts: [],
  more: false,
  progress: null,
  git,
  listed: { count: 0, collected_at: null, changed_at: null, values: {} },
  fields: null,
  log: null,
};

it('takes what a runner of an older version tells', () => {
  expect(newsSchema.parse(news)).toEqual({
    ...news,
    checkpoints: [],
    git: { ...git, as_of: null },
  });
  const as_of = '2026-01-01T10:00:00Z';
  expect(newsSchema.parse({ ...news, git: { ...git, as_of } }).git).toEqual({ ...git, as_of });
});

it('takes the end of a task whole, and leaves out a kind of fact that it does not know', () => {
  const stamp = { at: '2026-01-01T10:00:00Z', awake_ms: 1, boot: 'b', by: { principal: 'p', door: 'fleet' } };
  const over_budget = { tokens: 120, cost: 0.2 };
  const task = { task_id: 't', state: 'failed', reason: 'budget', exit_code: 1, output: 'last words' };
  const ended = { seq: 1, ...stamp, body: { kind: 'task.ended', ...task, over_budget } };
  const unknown = { seq: 2, ...stamp, body: { kind: 'task.framed' } };
  const { facts } = newsSchema.parse({ ...news, facts: [ended, unknown] });
  expect(facts).toEqual([ended]);
  expect(facts.reduce(fold, EMPTY_STATE).seq).toBe(1);
});

it('takes the details of log entries that it knows, and makes plain lines of the others', () => {
  const row = { id: 1, timestamp: '2026-01-01T10:00:00Z', message: 'hello', level: 'INFO', type: 'output' };
  const call = { of: 'call_end', id: 'c', tool: 'Bash', title: 'Bash', locations: [], status: 'completed' };
  const ended = JSON.stringify({ ...call, diffs: [], output_length: 5 });
  const details = [
    '{"of":"message"}',
    ended,
    JSON.stringify(call),
    '{"of":"song"}',
    'no JSON',
    7,
    null,
    undefined,
  ];
  const rows = details.map((detail, index) => ({ ...row, id: index + 1, detail }));
  const taken = newsSchema.parse({ ...news, log: { first: 1, rows } }).log?.rows.map(({ detail }) => detail);
  expect(taken).toEqual(['{"of":"message"}', ended, null, null, null, null, null, null]);
});
