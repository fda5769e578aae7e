import { FleetError, quote } from '../../domain/values/errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PATTERN = /^(\d{1,6})([smhd])$/;

/** How old something is, such as `30d`, in milliseconds. Unlike a duration it is not for a timer, so that it may be long. */
export function parseAge(text: string): number {
  const [, number, unit] = PATTERN.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (!Number.isNaN(ms)) return ms;
  throw new FleetError('INVALID_INPUT', `--older-than takes an age such as 30d or 12h; got ${quote(text)}.`, {
    field: 'older_than',
  });
}
