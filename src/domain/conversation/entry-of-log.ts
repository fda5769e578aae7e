import type { DetailedLogRow, LogRow } from '../task.ts';
import { cut, jsonIn } from '../values/text.ts';
import type { ConversationEntry, EntryBody, ToolCallBody, ToolCallEntry } from './conversation-entry.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';
import type { EndedCall, LogDetail, OpenedCall } from './log-detail.ts';

/** An entry of the log as a part of the conversation; undefined when another part has it. */
export function entryOfLog(row: DetailedLogRow): ConversationEntry | undefined {
  const detail = detailOf(row);
  switch (detail?.of) {
    case 'task':
    case 'call_output':
      return undefined;
    case 'call':
      return callEntry(detail.id, row, openedBody(detail), detail.input_cut);
    case 'call_end': {
      const shown = detail.output_length > 0 ? cut(row.message, CONVERSATION_LIMITS.text) : null;
      const isCut = detail.output_length > row.message.length || row.message.length > (shown?.length ?? 0);
      return callEntry(detail.id, row, endedBody(detail, shown), shown !== null && isCut);
    }
    case 'message':
    case 'thought':
      return textEntry(row, (text) => ({
        kind: 'message',
        from: detail.of === 'thought' ? 'thought' : 'agent',
        text,
        continues: detail.continues === true,
      }));
    case 'plan':
      return { ...stampOf(row), truncated: false, kind: 'plan', entries: detail.entries };
    case undefined:
      return textEntry(row, (text) => plainBody(row, text));
  }
}

/** The end of a call with what is known from its beginning. */
export function mergeCall(opened: ToolCallEntry, ended: ToolCallEntry): ToolCallEntry {
  return {
    ...ended,
    at: opened.at,
    tool_kind: opened.tool_kind,
    input: opened.input,
    locations: ended.locations.length > 0 ? ended.locations : opened.locations,
    truncated: opened.truncated || ended.truncated,
  };
}

/** What a program printed, and entries of older versions, which have nothing but their text. */
function plainBody({ type, level }: LogRow, text: string): EntryBody {
  if (type === 'input') return { kind: 'message', from: 'user', text, continues: false };
  if (type !== 'output') return { kind: 'note', level, text };
  if (level === 'DEBUG') return { kind: 'message', from: 'thought', text, continues: false };
  return { kind: 'output', stream: level === 'INFO' ? 'stdout' : 'stderr', text };
}

function openedBody({ tool, title, tool_kind, input, locations }: OpenedCall): ToolCallBody {
  return {
    kind: 'tool_call',
    tool,
    title,
    tool_kind,
    status: 'in_progress',
    input,
    output: null,
    locations,
    diffs: [],
  };
}

function endedBody({ tool, title, status, locations, diffs }: EndedCall, output: string | null) {
  return {
    kind: 'tool_call',
    tool,
    title,
    tool_kind: null,
    status,
    input: null,
    output,
    locations,
    diffs,
  } as const;
}

function callEntry(id: string, row: LogRow, body: ToolCallBody, isCut: boolean): ToolCallEntry {
  const truncated = isCut || body.diffs.some((diff) => diff.truncated);
  return { ...stampOf(row), id: `call-${id}`, truncated, ...body };
}

function textEntry(row: LogRow, bodyOf: (text: string) => EntryBody): ConversationEntry {
  const text = cut(row.message, CONVERSATION_LIMITS.text);
  return { ...stampOf(row), truncated: text !== row.message, ...bodyOf(text) };
}

function stampOf({ id, timestamp }: LogRow) {
  return { id: `log-${id}`, at: timestamp, updated_at: timestamp };
}

/** Written by our own driver; that of a Coder workspace was checked when it arrived. */
function detailOf({ detail }: DetailedLogRow): LogDetail | undefined {
  return detail === null ? undefined : (jsonIn(detail) as LogDetail | undefined);
}
