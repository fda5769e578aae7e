import { toFleetError, type FleetError } from '../domain/values/errors.ts';

/** What a caller gets of a thrown value; details that only the operator of the server may see go to stderr. */
export function reportDefect(thrown: unknown, where: string): FleetError {
  const error = toFleetError(thrown);
  if (error.code === 'INTERNAL_ERROR') {
    const cause = error.cause ?? thrown;
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    process.stderr.write(`fleet: internal error in ${where}: ${text}\n`);
  }
  return error;
}
