import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

export type ParsedArguments =
  | { readonly arguments: JsonObject }
  /** Why they cannot be used. */
  | { readonly problem: string };

/** The arguments of a call: models send an object, or JSON text of one. */
export function parseArguments(given: unknown): ParsedArguments {
  if (given === null || given === undefined || given === '') return { arguments: {} };
  if (isObject(given)) return { arguments: given };
  if (typeof given !== 'string') return { problem: `must be an object, not ${kindOf(given)}` };
  try {
    const value: unknown = JSON.parse(given);
    if (isObject(value)) return { arguments: value };
    // Some models encode the text once more.
    if (typeof value === 'string') return parseArguments(JSON.parse(value));
    return { problem: `must be an object, not ${kindOf(value)}` };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: `are not valid JSON: ${why}` };
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
