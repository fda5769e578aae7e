import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** Of a schema, what says how a value is checked and not what it is; then also what it is for. */
const CHECKS: ReadonlySet<string> = new Set([
  '$schema',
  'default',
  'examples',
  'format',
  'maxItems',
  'maxLength',
  'minItems',
  'minLength',
  'pattern',
  'title',
]);
const WORDS: ReadonlySet<string> = new Set([...CHECKS, 'description', '$comment']);
/** Keywords with schemas by name: a property may be called like a keyword. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Keywords with values of the caller. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'required']);

/** A JSON Schema in at most so many characters, if that is possible. It stays valid: half of a schema is of no use. */
export function schemaWithin(schema: JsonObject, limit: number): JsonObject {
  const fits = (candidate: JsonObject): boolean => JSON.stringify(candidate).length <= limit;
  if (fits(schema)) return schema;
  const unchecked = without(schema, CHECKS);
  if (fits(unchecked)) return unchecked;
  const bare = without(schema, WORDS);
  return fits(bare) ? bare : onlyRequired(bare);
}

function without(schema: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const shorter = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shorter);
    return isObject(value) ? without(value, keys) : value;
  };
  const kept = Object.entries(schema).filter(([key]) => !keys.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (VALUES.has(key)) return [key, value];
      if (!NAMED.has(key) || !isObject(value)) return [key, shorter(value)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorter(each)]))];
    }),
  );
}

/** The properties that a call must have, and only the names of the others. */
function onlyRequired({ properties, ...schema }: JsonObject): JsonObject {
  const { required } = schema;
  if (!isObject(properties)) return schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const [own, others] = [Object.entries(properties), Object.keys(properties)];
  return {
    ...schema,
    properties: Object.fromEntries(own.filter(([name]) => needed.has(name))),
    description: `Optional properties: ${others.filter((name) => !needed.has(name)).join(', ')}.`,
  };
}
