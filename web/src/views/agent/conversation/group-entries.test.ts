import { expect, it } from 'vitest';
import { groupEntries } from './group-entries.ts';
import type { ConversationEntry } from './merge-entries.ts';

const stamp = (id: string) => ({ id, at: id, updated_at: id, truncated: false });
const message = (id: string, text: string, continues = false): ConversationEntry => ({
  ...stamp(id),
  kind: 'message',
  from: 'agent',
  text,
  continues,
});
const output = (id: string, text: string): ConversationEntry => ({
  ...stamp(id),
  kind: 'output',
  stream: 'stdout',
  text,
});

it('joins the parts of a message, and lines of output that follow each other', () => {
  const groups = groupEntries([
    message('1', 'one\n'),
    message('2', 'two\n', true),
    message('3', 'another'),
    output('4', 'a'),
    output('5', 'b'),
    message('6', 'the rest of an older one', true),
  ]);
  expect(
    groups.map((group) =>
      group.kind === 'output'
        ? group.lines.map(({ text }) => text)
        : group.entry.kind === 'message' && group.entry.text,
    ),
  ).toEqual(['one\ntwo\n', 'another', ['a', 'b'], 'the rest of an older one']);
  expect(groups.map(({ id, size }) => [id, size])).toEqual([
    ['1', 2],
    ['3', 1],
    ['4', 2],
    ['6', 1],
  ]);
});
