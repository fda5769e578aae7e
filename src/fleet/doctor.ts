import type { Check } from '../domain/check.ts';
import { FleetError } from '../domain/values/errors.ts';

type RunChecks = () => Promise<readonly Check[]>;

/** The checks of `fleet doctor`. The layer above provides them; inside an agent there are none. */
export class Doctor {
  #run: RunChecks | undefined;
  #running: Promise<readonly Check[]> | undefined;

  provide(run: RunChecks): void {
    this.#run = run;
  }

  /** All that ask while the checks run get the same answer: they start programs. */
  check(): Promise<readonly Check[]> {
    if (this.#run === undefined) throw notHere();
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }
}

function notHere(): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'The checks are not available here. Run fleet doctor in a terminal.',
  );
}
