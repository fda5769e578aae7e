import { expect, it } from 'vitest';
import type { DetailedLogRow } from '../task.ts';
import type { ToolCallEntry } from './conversation-entry.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';
import { cutValue } from './cut-value.ts';
import { entryOfLog, mergeCall } from './entry-of-log.ts';
import type { LogDetail } from './log-detail.ts';

const LINE: DetailedLogRow = {
  id: 7,
  timestamp: '2027-01-15T08:00:00.000Z',
  message: 'a line',
  level: 'INFO',
  type: 'output',
  detail: null,
};
const CALL = { id: 'c', tool: 'Bash', title: 'Bash: ls', locations: [{ path: 'a.ts', line: 3 }] };

function entry(row: Partial<DetailedLogRow>, detail?: LogDetail) {
  return entryOfLog({ ...LINE, ...row, ...(detail === undefined ? {} : { detail: JSON.stringify(detail) }) });
}

it('shows a plain line by its type and level', () => {
  expect(entry({})).toMatchObject({ id: 'log-7', kind: 'output', stream: 'stdout', text: 'a line' });
  expect(entry({ level: 'WARN' })).toMatchObject({ kind: 'output', stream: 'stderr' });
  expect(entry({ level: 'DEBUG' })).toMatchObject({ kind: 'message', from: 'thought' });
  expect(entry({ type: 'input' })).toMatchObject({ kind: 'message', from: 'user' });
  expect(entry({ type: 'system', level: 'WARN' })).toMatchObject({ kind: 'note', level: 'WARN' });
  expect(entry({ detail: 'not JSON' })).toMatchObject({ kind: 'output' });
});

it('shows what an agent said, and that a long message goes on', () => {
  expect(entry({}, { of: 'message' })).toMatchObject({ kind: 'message', from: 'agent', continues: false });
  expect(entry({}, { of: 'thought', continues: true })).toMatchObject({ from: 'thought', continues: true });
  expect(entry({}, { of: 'task', task_id: 't' })).toBeUndefined();
  expect(entry({}, { of: 'call_output' })).toBeUndefined();
});

it('shows a call with its input, and its end with output, files and all that was known before', () => {
  const input = { command: 'ls' };
  const opened = entry({}, { of: 'call', ...CALL, tool_kind: 'execute', input, input_cut: false });
  expect(opened).toMatchObject({ id: 'call-c', status: 'in_progress', input, output: null });
  const later = { message: 'a.ts\n', timestamp: '2027-01-15T08:00:05.000Z' };
  const diffs = [{ path: 'a.ts', old_text: null, new_text: 'x', truncated: false }];
  const ended = entry(later, {
    of: 'call_end',
    ...CALL,
    locations: [],
    status: 'completed',
    diffs,
    output_length: 5,
  });
  expect(mergeCall(opened as ToolCallEntry, ended as ToolCallEntry)).toEqual({
    kind: 'tool_call',
    id: 'call-c',
    at: LINE.timestamp,
    updated_at: later.timestamp,
    truncated: false,
    tool: 'Bash',
    title: 'Bash: ls',
    tool_kind: 'execute',
    status: 'completed',
    input,
    output: 'a.ts\n',
    locations: CALL.locations,
    diffs,
  });
});

it('says when a text was cut', () => {
  const long = 'x'.repeat(CONVERSATION_LIMITS.text + 1);
  expect(entry({ message: long })).toMatchObject({ truncated: true });
  expect(entry({}, { of: 'message' })).toMatchObject({ truncated: false });
  const end = { of: 'call_end', ...CALL, status: 'failed', diffs: [] } as const;
  expect(entry({}, { ...end, output_length: 6 })).toMatchObject({ truncated: false, output: 'a line' });
  expect(entry({}, { ...end, output_length: 90 })).toMatchObject({ truncated: true, output: 'a line' });
  expect(entry({}, { ...end, output_length: 0 })).toMatchObject({ truncated: false, output: null });
});

it('cuts the long texts of an input first, and then the whole', () => {
  expect(cutValue({ a: 1 })).toEqual({ value: { a: 1 }, truncated: false });
  expect(cutValue(undefined)).toEqual({ value: null, truncated: false });
  const file = { path: 'a.ts', content: 'x'.repeat(50_000) };
  expect(cutValue(file)).toMatchObject({ value: { path: 'a.ts' }, truncated: true });
  const many = Array.from({ length: 100 }, () => 'x'.repeat(1_000));
  const { value, truncated } = cutValue(many);
  expect([typeof value, truncated, String(value).length]).toEqual([
    'string',
    true,
    CONVERSATION_LIMITS.input,
  ]);
});
