import { parseDuration } from '../../domain/values/duration.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** How long ago, in the largest unit that says something. */
export function ago(time: string, now: number): string {
  return duration(Math.max(0, now - Date.parse(time)));
}

export function duration(ms: number): string {
  if (ms < UNITS.m) return `${Math.floor(ms / UNITS.s)}s`;
  if (ms < UNITS.h) return `${Math.floor(ms / UNITS.m)}m`;
  if (ms < 2 * UNITS.d) return `${Math.floor(ms / UNITS.h)}h`;
  return `${Math.floor(ms / UNITS.d)}d`;
}

/** A length of time as it stands in a sentence. */
export function inWords(ms: number): string {
  const left = Math.max(0, ms);
  if (left < UNITS.m) return `${Math.floor(left / UNITS.s)} s`;
  if (left < 2 * UNITS.h) return `${Math.floor(left / UNITS.m)} min`;
  if (left < 2 * UNITS.d) return `${Math.floor(left / UNITS.h)} h`;
  return `${Math.floor(left / UNITS.d)} days`;
}

/** A time as a person at this machine reads it: local, to the second; with its date unless it is today. */
export function localTime(time: string, now: number): string {
  const date = new Date(time);
  const [day, clock] = [
    localDay(date),
    [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':'),
  ];
  return day === localDay(new Date(now)) ? clock : `${day} ${clock}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The same for a column of a table: to the second today, to the minute this year, else its day. */
export function tableTime(time: string, now: number): string {
  const [date, today] = [new Date(time), new Date(now)];
  if (date.getFullYear() !== today.getFullYear()) return localDay(date);
  if (localDay(date) === localDay(today)) return localTime(time, now);
  return `${MONTHS[date.getMonth()]} ${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Seconds as a bare number, or a time such as `90s`, `10m`, `2h`; in milliseconds. */
export function parseTimeout(text: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * UNITS.s : parseDuration(text);
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** A time of the past: an ISO time, or a duration ago. */
export function parsePastTime(text: string, now: number): number {
  const past = parseDuration(text);
  const at = past === undefined ? (ISO.test(text) ? Date.parse(text) : Number.NaN) : now - past;
  if (Number.isNaN(at) || Math.abs(at) > 8.64e15) {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(text)} is not a time. Give an ISO time such as 2026-01-31T12:00:00Z, or how long ago, such as 10m.`,
      { field: 'at' },
    );
  }
  if (at > now) {
    throw new FleetError('INVALID_INPUT', `The time ${quote(text)} is in the future.`, { field: 'at' });
  }
  return at;
}

function localDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
