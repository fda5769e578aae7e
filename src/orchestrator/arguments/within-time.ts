import { isObject } from '../../wire/json-rpc.ts';
import { createContext, Script, type Context } from 'node:vm';

const SCRIPT = new Script('work()');
let room: Context | undefined;

/** Runs work that never waits, and ends it when it takes too long: undefined then. Any other failure is thrown. */
export function withinTime<Value>(ms: number, work: () => Value): { readonly value: Value } | undefined {
  room ??= createContext({});
  let done: { readonly value: Value } | undefined;
  room['work'] = () => {
    done = { value: work() };
  };
  try {
    SCRIPT.runInContext(room, { timeout: ms });
    return done;
  } catch (thrown) {
    if (isTimeout(thrown)) return undefined;
    throw thrown;
  } finally {
    delete room['work'];
  }
}

function isTimeout(thrown: unknown): boolean {
  // It is an error of the other context: `instanceof` does not know it.
  return isObject(thrown) && thrown['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
