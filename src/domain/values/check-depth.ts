import { FleetError } from './errors.ts';

/** Far more than anything that people or models write, and far less than what ends the stack of a recursive function. */
export const DEEPEST = 500;

/** INVALID_INPUT for JSON that is nested too deep. `what` begins the message. */
export function checkDepth(value: unknown, what: string): void {
  if (!isTooDeep(value)) return;
  throw new FleetError('INVALID_INPUT', `${what} is nested more than ${DEEPEST} levels deep.`, {
    reason: 'too_deep',
    limit: DEEPEST,
  });
}

/** Recursive, because it goes no deeper than the limit. */
export function isTooDeep(value: unknown, left = DEEPEST): boolean {
  if (left < 0) return true;
  if (typeof value !== 'object' || value === null) return false;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const each of inner) if (isTooDeep(each, left - 1)) return true;
  return false;
}
