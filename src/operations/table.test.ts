import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findOperation, OPERATIONS } from './table.ts';

describe('the table of operations', () => {
  it('has every operation once, under its name', () => {
    const names = OPERATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const operation of OPERATIONS) expect(findOperation(operation.name)).toBe(operation);
    expect(findOperation('toString')).toBeUndefined();
  });

  it('has snake_case names in every input and output [OP-snake-case]', () => {
    const names = OPERATIONS.flatMap((operation) => [
      operation.name,
      ...propertyNames(z.toJSONSchema(operation.input, { io: 'input' })),
      ...propertyNames(z.toJSONSchema(operation.output)),
    ]);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it('takes flat scalars and lists of them, and refuses what it does not know', () => {
    for (const { name, input } of OPERATIONS) {
      const schema = z.toJSONSchema(input, { io: 'input' });
      expect([name, schema.additionalProperties]).toEqual([name, false]);
      const kinds = Object.values(schema.properties ?? {}).flatMap((property) => typesOf(property));
      expect([
        name,
        kinds.filter((kind) => !['string', 'integer', 'number', 'boolean', 'null'].includes(kind)),
      ]).toEqual([name, []]);
    }
  });

  it('has a route for each, with every path input among its inputs', () => {
    const routes = OPERATIONS.map(({ route }) => `${route.method} ${route.path}`);
    expect(new Set(routes).size).toBe(routes.length);
    for (const { name, route, input, hints } of OPERATIONS) {
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key ?? '');
      expect([name, inPath.filter((key) => !Object.hasOwn(input.shape, key))]).toEqual([name, []]);
      expect([name, route.method === 'GET']).toEqual([name, hints.readOnly]);
    }
  });
});

type Schema = Parameters<typeof typesOf>[0];

function typesOf(schema: z.core.JSONSchema._JSONSchema): string[] {
  if (typeof schema === 'boolean') return ['any'];
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => typesOf(each));
  if (schema.type === 'array') return [schema.items ?? true].flat().flatMap((each) => typesOf(each));
  return schema.type === undefined ? ['any'] : [schema.type].flat();
}

/** The names of all properties, however deep; a record has none of its own. */
function propertyNames(schema: Schema): string[] {
  if (typeof schema !== 'object') return [];
  const inner = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].flat();
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [name, ...propertyNames(each)]),
    ...inner.flatMap((each) => (typeof each === 'object' ? propertyNames(each) : [])),
  ];
}
