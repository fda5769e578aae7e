import { ERROR_TABLE, FleetError, toFleetError } from '../../domain/values/errors.ts';
import type { Cli } from './cli.ts';
import { forPeople } from './for-people.ts';
import { printable } from './printable.ts';

/** Words that a command cannot take, with the usage to show beside the message. */
export class UsageError extends FleetError {
  readonly usage: string;

  constructor(message: string, usage: string) {
    super('INVALID_INPUT', message, { reason: 'usage' });
    this.usage = usage;
  }
}

/** Help was asked for and shown: nothing failed. */
export class HelpShown extends Error {}

/** A wait whose time was up, as timeout(1) ends. */
export const TIMED_OUT_EXIT = 124;
/** A command that did its work on a task that then failed. */
export const TASK_FAILED_EXIT = 1;

export function exitCodeOf(error: FleetError): number {
  return ERROR_TABLE[error.code].exit;
}

/** Tells of a failure in the form that was asked for, and gives the exit code. */
export function reportFailure(cli: Cli, thrown: unknown): number {
  if (thrown instanceof HelpShown) return 0;
  const error = toFleetError(thrown);
  if (cli.json) cli.out.json(error.toBody());
  else {
    const own = error instanceof UsageError;
    cli.err.line(`fleet: ${printable(own ? error.message : forPeople(error.message))}`);
    if (own) cli.err.line(error.usage);
  }
  if ((cli.env['FLEET_DEBUG'] ?? '') !== '') cli.err.line(printable(stackOf(thrown)));
  return exitCodeOf(error);
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? own : `${own}\ncaused by: ${stackOf(thrown.cause)}`;
}
