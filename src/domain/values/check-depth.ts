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

export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
