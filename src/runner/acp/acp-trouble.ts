import { isObject } from '../../wire/json-rpc.ts';
import { RpcError, WireLost } from '../../wire/rpc-error.ts';

/** Why a turn did not end as it should. */
export interface Trouble {
  readonly kind:
    | 'gone'
    | 'no_reply'
    | 'silent'
    | 'api_error'
    | 'rate_limit'
    | 'quota'
    | 'not_logged_in'
    | 'refused';
  readonly reason: string;
  /** When a quota is there again, where the agent says so. */
  readonly until: number | null;
}

/** How an exhausted quota is recognized: there is no code for it. */
const QUOTA_TEXTS = [
  "You've hit your",
  "You've reached your",
  "You're out of",
  'Your org is out of usage',
  'Your seat type',
  'Your usage allocation',
  "Your group's usage limit",
  'Credit balance is too low',
];

const PASSING = new Set(['server_error', 'overloaded', 'unknown', 'incomplete_tool_call']);

/** Tells by the kind of an error, where the agent gives one, what it means for the task. */
export function troubleOf(thrown: unknown, resetsAt: number | null): Trouble {
  if (thrown instanceof WireLost) return trouble('gone', `the agent's process is gone: ${thrown.message}`);
  if (!(thrown instanceof RpcError)) return trouble('api_error', messageOf(thrown));
  const text = thrown.message.replace(/^Internal error: /, '');
  const kind = isObject(thrown.data) ? String(thrown.data['errorKind'] ?? '') : '';
  const isUsedUp = isObject(thrown.data) && thrown.data['codexErrorInfo'] === 'usageLimitExceeded';
  if (isUsedUp) return trouble('quota', String(isObject(thrown.data) ? thrown.data['message'] : text));
  if (kind === 'billing_error' || QUOTA_TEXTS.some((start) => text.startsWith(start)))
    return { ...trouble('quota', text), until: resetsAt ?? resetTime(text, Date.now()) };
  if (kind === 'rate_limit') return trouble('rate_limit', text);
  if (kind === 'no_result') return trouble('no_reply', 'the turn ended without a reply');
  if (thrown.code === -32_000 || kind.includes('auth'))
    return trouble('not_logged_in', `${text}: the agent is not logged in`);
  if (/process exited/i.test(text)) return trouble('gone', text);
  return trouble(kind === '' || PASSING.has(kind) ? 'api_error' : 'refused', text);
}

function trouble(kind: Trouble['kind'], reason: string): Trouble {
  return { kind, reason, until: null };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The time in "resets 3:04am (UTC)" or "resets Oct 7, 3am (UTC)", after `now`; null when there is none. */
export function resetTime(text: string, now: number): number | null {
  const found = /resets (?:([A-Z][a-z]{2}) (\d{1,2}), )?(\d{1,2})(?::(\d{2}))?\s*(am|pm) \(UTC\)/.exec(text);
  if (found === null) return null;
  const [, month, day, hour, minute = '0', half] = found;
  const today = new Date(now);
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const at = (year: number, ofMonth: number, ofDay: number): number =>
    Date.UTC(year, ofMonth, ofDay, hours, Number(minute));
  if (month === undefined || day === undefined) {
    const next = at(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
    return next > now ? next : next + 86_400_000;
  }
  const index = MONTHS.indexOf(month.toLowerCase());
  const next = at(today.getUTCFullYear(), index, Number(day));
  return next > now - 86_400_000 ? next : at(today.getUTCFullYear() + 1, index, Number(day));
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
