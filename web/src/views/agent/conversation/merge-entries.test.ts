import { expect, it } from 'vitest';
import { groupEntries } from './group-entries.ts';
import { mergeEntries, type ConversationEntry } from './merge-entries.ts';

const line = (id: number, at: string, text = `line ${id}`, updated_at = at): ConversationEntry => ({
  kind: 'output',
  id: `log-${id}`,
  at,
  updated_at,
  truncated: false,
  stream: 'stdout',
  text,
});

it('takes the later of two entries with one id, and keeps the order of time', () => {
  const known = [line(1, '2026-01-01T00:00:01Z'), line(3, '2026-01-01T00:00:03Z')];
  const merged = mergeEntries(known, [
    line(2, '2026-01-01T00:00:02Z'),
    line(1, '2026-01-01T00:00:01Z', 'changed', '2026-01-01T00:00:09Z'),
    line(3, '2026-01-01T00:00:03Z', 'older', '2026-01-01T00:00:00Z'),
  ]);
  expect(merged.map((entry) => (entry.kind === 'output' ? entry.text : ''))).toEqual([
    'changed',
    'line 2',
    'line 3',
  ]);
});

it('keeps the order of entries at the same time: those of the first list come first', () => {
  const at = '2026-01-01T00:00:01Z';
  const older = [line(9, at), line(10, at)];
  const merged = mergeEntries(older, [line(10, at, 'changed'), line(11, at)]);
  expect(merged.map((entry) => (entry.kind === 'output' ? entry.text : ''))).toEqual([
    'line 9',
    'changed',
    'line 11',
  ]);
});

it('shows lines of output that follow each other as one block', () => {
  const note = {
    kind: 'note',
    id: 'log-3',
    at: '3',
    updated_at: '3',
    truncated: false,
    level: 'INFO',
    text: 'between',
  } as const;
  const groups = groupEntries([line(1, '1'), line(2, '2'), note, line(4, '4')]);
  expect(groups.map((group) => (group.kind === 'output' ? group.lines.length : group.entry.kind))).toEqual([
    2,
    'note',
    1,
  ]);
});
