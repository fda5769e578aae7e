import { toFleetError, type FleetError } from '../domain/errors.ts';

/** What a caller gets of a thrown value; what only whoever runs the server may see goes to stderr. */
export function reportDefect(thrown: unknown, where: string): FleetError {
  const error = toFleetError(thrown);
  if (error.code === 'INTERNAL_ERROR') {
    const cause = error.cause ?? thrown;
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    process.stderr.write(`fleet: defect in ${where}: ${text}\n`);
  }
  return error;
}
