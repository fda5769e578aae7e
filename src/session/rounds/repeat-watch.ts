import { hash } from 'node:crypto';

/** So often in a row is a round the same before the session stops. */
export const MOST_REPEATS = 3;
/** Each failure has another one, so that it can be found in the logs. */
const OWN_ID = /"correlation_id":"[^"]*"/g;
/** Waiting again is the way to wait longer. */
const MAY_REPEAT: ReadonlySet<string> = new Set(['wait_for_agents']);

export interface RoundCall {
  readonly tool: string;
  readonly arguments: unknown;
  readonly result: string;
}

/** Notices a model that makes the same calls with the same results again and again. */
export class RepeatWatch {
  #last = '';
  #count = 0;

  /** True when it is time to stop. */
  isStuck(calls: readonly RoundCall[]): boolean {
    if (calls.every(({ tool }) => MAY_REPEAT.has(tool))) return false;
    const print = hash(
      'sha256',
      JSON.stringify(calls.map((call) => [call.tool, call.arguments, call.result.replaceAll(OWN_ID, '')])),
    );
    this.#count = print === this.#last ? this.#count + 1 : 1;
    this.#last = print;
    return this.#count >= MOST_REPEATS;
  }
}
