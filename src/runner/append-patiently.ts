import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../domain/errors.ts';
import type { FactBody } from '../domain/fact.ts';
import { isGroundReason } from '../domain/ground.ts';
import type { Actor } from '../domain/principal.ts';
import type { Journal } from './journal.ts';

export interface ToAppend {
  readonly by: Actor;
  readonly body: FactBody;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Writes what has happened and cannot be taken back: while it cannot be written it is tried again, less and less often.
 *  `make` is asked anew each time, because others may have written since; undefined when there is nothing to say. */
export async function appendPatiently(journal: Journal, make: () => ToAppend | undefined): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      const fact = make();
      if (fact !== undefined) journal.append(fact.by, fact.body);
      return;
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown;
      if (wait === FIRST_WAIT_MS) console.error(`${thrown.message} The runner waits for it.`);
      await delay(wait);
    }
  }
}

/** True when the ground is bad now and may be better later. */
export function mayPass(thrown: unknown): thrown is FleetError {
  if (!(thrown instanceof FleetError)) return false;
  const { reason } = thrown.details;
  return isGroundReason(reason) && reason !== 'journal_corrupt';
}
