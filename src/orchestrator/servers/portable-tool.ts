import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { Offer } from './offers.ts';

/** Why clients would refuse the definition of a tool, beside what everything that is offered has. */
export function toolProblem(tool: JsonObject): string | undefined {
  const { inputSchema, outputSchema, annotations, execution } = tool;
  if (inputSchema === undefined) return 'it has no inputSchema';
  if (!isObject(inputSchema)) return 'its inputSchema is not an object';
  if (inputSchema['type'] !== 'object') return 'the type of its inputSchema is not "object"';
  if (!hasSoundProperties(inputSchema)) return 'its inputSchema has malformed properties';
  if (outputSchema !== undefined && !(isObject(outputSchema) && hasSoundProperties(outputSchema)))
    return 'its outputSchema is malformed';
  if (!areAnnotations(annotations)) return 'its annotations are malformed';
  return isExecution(execution) ? undefined : 'its execution is malformed';
}

/** The same definition in the form that clients of every revision read. */
export function portable(tool: Offer): Offer {
  const { inputSchema, outputSchema, ...rest } = tool;
  // Until 2025-11-25 structured results are objects. A result of another type is passed on without its schema.
  const isRead = isObject(outputSchema) && outputSchema['type'] === 'object';
  return {
    ...rest,
    inputSchema: withObjectProperties(inputSchema),
    ...(isRead ? { outputSchema: withObjectProperties(outputSchema) } : {}),
  };
}

/** `true` and `false` are schemas; older clients read objects only. */
function withObjectProperties(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema;
  const { properties } = schema;
  if (!Object.values(properties).some((each) => typeof each === 'boolean')) return schema;
  const entries = Object.entries(properties).map(([name, each]): [string, unknown] => [
    name,
    each === true ? {} : each === false ? { not: {} } : each,
  ]);
  return { ...schema, properties: Object.fromEntries(entries) };
}

function hasSoundProperties({ $schema, properties, required }: JsonObject): boolean {
  const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);
  const isText = (value: unknown): boolean => typeof value === 'string';
  return (
    ($schema === undefined || isText($schema)) &&
    (properties === undefined || (isObject(properties) && Object.values(properties).every(isSchema))) &&
    (required === undefined || (Array.isArray(required) && required.every(isText)))
  );
}

function areAnnotations(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = value;
  const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
  return (
    (title === undefined || typeof title === 'string') &&
    hints.every((hint) => hint === undefined || typeof hint === 'boolean')
  );
}

function isExecution(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  return [undefined, 'required', 'optional', 'forbidden'].some((each) => each === value['taskSupport']);
}
