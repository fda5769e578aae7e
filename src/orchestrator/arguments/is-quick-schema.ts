import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

const MOST_STEPS = 5_000;
const MOST_DEPTH = 100;
const DEFINITIONS = ['$defs', 'definitions'];
const OTHER_REFERENCES = ['$dynamicRef', '$recursiveRef'];

/** True when checking a value takes time in proportion to its size: nothing in the schema leads back to itself, and with
 *  every reference followed it is small. */
export function isQuickSchema(schema: JsonObject): boolean {
  const walk: Walk = { root: schema, steps: 0, open: new Set() };
  return isQuick(schema, walk);
}

interface Walk {
  readonly root: JsonObject;
  steps: number;
  /** What the walk is inside of. */
  readonly open: Set<unknown>;
}

function isQuick(value: unknown, walk: Walk): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (walk.open.has(value)) return false;
  walk.steps += 1;
  if (walk.steps > MOST_STEPS || walk.open.size > MOST_DEPTH) return false;
  walk.open.add(value);
  const quick = Array.isArray(value)
    ? value.every((each) => isQuick(each, walk))
    : isObject(value) && isQuickObject(value, walk);
  walk.open.delete(value);
  return quick;
}

function isQuickObject(schema: JsonObject, walk: Walk): boolean {
  const { $ref, uniqueItems } = schema;
  // Comparing every item with every other takes the square of their number.
  if (uniqueItems === true || OTHER_REFERENCES.some((key) => key in schema)) return false;
  if ($ref !== undefined) {
    const target = typeof $ref === 'string' ? targetOf($ref, walk.root) : undefined;
    if (target === undefined || !isQuick(target, walk)) return false;
  }
  return Object.entries(schema).every(([key, value]) => DEFINITIONS.includes(key) || isQuick(value, walk));
}

function targetOf(reference: string, root: JsonObject): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined;
  }
  return at;
}
