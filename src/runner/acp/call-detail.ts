import { CONVERSATION_LIMITS } from '../../domain/conversation/conversation-limits.ts';
import { cutValue } from '../../domain/conversation/cut-value.ts';
import type {
  CallDiff,
  CallLocation,
  CallStatus,
  LogDetail,
  PlanEntry,
} from '../../domain/conversation/log-detail.ts';
import { cut } from '../../domain/values/text.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** A tool call as far as its agent has told. */
export interface CallParts {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly tool_kind: string | null;
  readonly input: unknown;
  readonly locations: readonly CallLocation[];
  readonly diffs: readonly CallDiff[];
}

export function openedDetail({ id, tool, title, tool_kind, input, locations }: CallParts): LogDetail {
  const { value, truncated } = cutValue(input);
  return {
    of: 'call',
    id,
    tool,
    title: short(title),
    tool_kind,
    input: value,
    input_cut: truncated,
    locations,
  };
}

/** `output` is the text of the entry, as far as it is the call's. */
export function endedDetail(
  { id, tool, title, locations, diffs }: CallParts,
  status: CallStatus,
  output: string,
): LogDetail {
  return {
    of: 'call_end',
    id,
    tool,
    title: short(title),
    status,
    locations,
    diffs,
    output_length: output.length,
  };
}

/** The files that a call is about; undefined when an update does not say. */
export function locationsOf({ locations }: JsonObject): readonly CallLocation[] | undefined {
  if (!Array.isArray(locations)) return undefined;
  return locations
    .filter(isObject)
    .slice(0, CONVERSATION_LIMITS.locations)
    .map(({ path, line }) => ({ path: short(String(path)), line: typeof line === 'number' ? line : null }));
}

/** The changes of files in the contents of a call; undefined when there are none. */
export function diffsOf({ content }: JsonObject): readonly CallDiff[] | undefined {
  const parts = (Array.isArray(content) ? content : []).filter(isObject);
  const diffs = parts.filter(({ type }) => type === 'diff').slice(0, CONVERSATION_LIMITS.diffs);
  return diffs.length === 0 ? undefined : diffs.map(diffOf);
}

export function planOf({ entries }: JsonObject): readonly PlanEntry[] {
  return (Array.isArray(entries) ? entries : [])
    .filter(isObject)
    .slice(0, CONVERSATION_LIMITS.plan_entries)
    .map(({ content, status, priority }) => ({
      content: cut(String(content), CONVERSATION_LIMITS.plan_text),
      status: String(status),
      priority: typeof priority === 'string' ? priority : null,
    }));
}

/** What a call gave back: the agent's own words for it, or its contents. */
export function outputOf({ rawOutput, content }: JsonObject): string {
  if (typeof rawOutput === 'string') return rawOutput;
  const texts = (Array.isArray(content) ? content : [])
    .filter(isObject)
    .map((part) => (part['type'] === 'diff' ? `changed ${String(part['path'])}` : textOf(part['content'])));
  if (texts.join('') !== '') return texts.join('\n');
  return rawOutput === undefined || rawOutput === null ? '' : JSON.stringify(rawOutput);
}

export function textOf(content: unknown): string {
  return isObject(content) && typeof content['text'] === 'string' ? content['text'] : '';
}

function diffOf({ path, oldText, newText }: JsonObject): CallDiff {
  const { diff } = CONVERSATION_LIMITS;
  const before = typeof oldText === 'string' ? oldText : null;
  const after = String(newText ?? '');
  return {
    path: short(String(path)),
    old_text: before === null ? null : cut(before, diff),
    new_text: cut(after, diff),
    truncated: (before?.length ?? 0) > diff || after.length > diff,
  };
}

function short(text: string): string {
  return cut(text, CONVERSATION_LIMITS.input_text);
}
