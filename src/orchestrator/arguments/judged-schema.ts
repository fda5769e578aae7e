import { isLinearPattern } from './is-linear-pattern.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const OF_ITEMS = ['items', 'additionalItems', 'unevaluatedItems', 'contains'];
const OF_PROPERTIES = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'];
const SINGLE = [...OF_ITEMS, ...OF_PROPERTIES, 'not', 'if', 'then', 'else'];
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** A schema without the patterns that could hold up the process, which the server judges itself: it refuses nothing that
 *  the whole one allows. */
export function judgedSchema(schema: JsonObject): JsonObject {
  return hasWithin(schema, isUnjudged) ? loosened(schema) : schema;
}

function loosened(schema: JsonObject): JsonObject {
  const kept: Record<string, unknown> = { ...withInner(schema, loosened) };
  const drop = (...keys: readonly string[]): void => keys.forEach((key) => delete kept[key]);
  if (isUnjudgedPattern(schema['pattern'])) drop('pattern');
  const { patternProperties, oneOf } = kept;
  if (isObject(patternProperties)) {
    const judged = Object.entries(patternProperties).filter(([pattern]) => !isUnjudgedPattern(pattern));
    kept['patternProperties'] = Object.fromEntries(judged);
    if (judged.length < Object.keys(patternProperties).length) drop('additionalProperties');
  }
  // What is allowed too often here would refuse there.
  if (!isSure(schema)) drop('unevaluatedProperties', 'unevaluatedItems');
  if (!isSure(schema['not'])) drop('not');
  if (!isSure(schema['if'])) drop('if', 'then', 'else');
  if (!isSure(schema['contains'])) drop('maxContains');
  if (Array.isArray(oneOf) && !oneOfIsSure(schema)) {
    drop('oneOf');
    kept['allOf'] = [...(Array.isArray(kept['allOf']) ? kept['allOf'] : []), { anyOf: oneOf }];
  }
  return kept;
}

function oneOfIsSure({ oneOf }: JsonObject): boolean {
  return Array.isArray(oneOf) && oneOf.every(isSure);
}

/** What a reference leads to may have anything. */
function isSure(schema: unknown): boolean {
  return !hasWithin(schema, (each) => isUnjudged(each) || REFERENCES.some((key) => key in each));
}

function isUnjudged({ pattern, patternProperties }: JsonObject): boolean {
  return (
    isUnjudgedPattern(pattern) ||
    (isObject(patternProperties) && Object.keys(patternProperties).some(isUnjudgedPattern))
  );
}

/** An invalid pattern makes the whole schema invalid. */
function isUnjudgedPattern(pattern: unknown): boolean {
  return typeof pattern === 'string' && !isLinearPattern(pattern) && isPattern(pattern);
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function hasWithin(schema: unknown, is: (schema: JsonObject) => boolean): boolean {
  if (!isObject(schema)) return false;
  if (is(schema)) return true;
  let found = false;
  withInner(schema, (inner) => {
    found ||= hasWithin(inner, is);
    return inner;
  });
  return found;
}

/** The schema with each that it has inside replaced; values that are no schemas, as those of enum, stay. */
function withInner(schema: JsonObject, replace: (inner: JsonObject) => JsonObject): JsonObject {
  const one = (inner: unknown): unknown => (isObject(inner) ? replace(inner) : inner);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (LISTS.includes(key) && Array.isArray(value)) return [key, value.map(one)];
      if (SINGLE.includes(key)) return [key, one(value)];
      if (!MAPS.includes(key) || !isObject(value)) return [key, value];
      return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]))];
    }),
  );
}
