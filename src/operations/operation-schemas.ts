import { z } from 'zod';
import type { Operation } from './operation.ts';

const propertySchema = z.record(z.string(), z.json());
const objectSchema = z
  .object({
    type: z.literal('object'),
    properties: z.record(z.string(), propertySchema).default({}),
    required: z.array(z.string()).default([]),
  })
  .catchall(z.json());

/** A JSON Schema (2020-12) whose root is an object. */
export type ObjectSchema = z.output<typeof objectSchema>;
export type PropertySchema = z.output<typeof propertySchema>;

export interface OperationSchemas {
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
}

const made = new WeakMap<Operation, OperationSchemas>();

/** What an operation takes and answers, as every interface publishes it: strict in, open to additions out. */
export function schemasOf(operation: Operation): OperationSchemas {
  const known = made.get(operation);
  if (known !== undefined) return known;
  const schemas = { input: toObjectSchema(operation.input), output: toObjectSchema(operation.output) };
  made.set(operation, schemas);
  return schemas;
}

function toObjectSchema(schema: z.ZodObject): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', override: leaveOutTheObvious });
  return objectSchema.parse(json);
}

/** Formats whose pattern says nothing more. */
const WHOLE_FORMATS: readonly (string | undefined)[] = ['date-time', 'uuid'];

/** Leaves out what a model need not read: the pattern of such a format, that a text is not empty where its pattern says so,
 *  and that all numbers of JSON are safe ones. */
function leaveOutTheObvious({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { pattern, minLength } = jsonSchema;
  if (minLength === 1 && pattern !== undefined && !new RegExp(pattern, 'u').test(''))
    delete jsonSchema.minLength;
  if (WHOLE_FORMATS.includes(jsonSchema.format)) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
