import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../domain/values/errors.ts';
import type { FactBody } from '../../domain/fact.ts';
import { isStorageReason } from '../../domain/values/storage-problem.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Journal } from './journal.ts';

export interface ToAppend {
  readonly by: Actor;
  readonly body: FactBody;
  /** Written in the same transaction. */
  readonly more?: readonly FactBody[];
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Writes what has happened and cannot be taken back: while it cannot be written it is tried again, less and less often.
 *  `make` is called again each time, because others may have written since; undefined when there is nothing to add. */
export async function appendWithRetry(journal: Journal, make: () => ToAppend | undefined): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      const fact = make();
      if (fact !== undefined) journal.append(fact.by, fact.body, ...(fact.more ?? []));
      return;
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown;
      if (wait === FIRST_WAIT_MS) console.error(`${thrown.message} The runner waits for it.`);
      await delay(wait);
    }
  }
}

/** True for a failure of the disk or the file that may go away by itself. */
export function mayPass(thrown: unknown): thrown is FleetError {
  if (!(thrown instanceof FleetError)) return false;
  const { reason } = thrown.details;
  return isStorageReason(reason) && reason !== 'journal_corrupt';
}
