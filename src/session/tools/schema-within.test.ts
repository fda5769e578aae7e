import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/table.ts';
import { schemasOf } from '../../operations/operation-schemas.ts';
import { schemaWithin } from './schema-within.ts';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    pattern: { type: 'string', pattern: '^[a-z]+$', description: 'What is looked for', maxLength: 200 },
    mode: { enum: ['fast', { title: 'kept' }], title: 'Mode', description: 'How it is looked for' },
    places: { type: 'array', items: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] } },
  },
  required: ['pattern'],
  additionalProperties: false,
} as const;

describe('a schema within a number of characters', () => {
  it('is whole while it fits', () => {
    expect(schemaWithin(schema, 10_000)).toBe(schema);
  });

  it('loses checks first, then words, then what may be left out', () => {
    const size = (value: object): number => JSON.stringify(value).length;
    const unchecked = schemaWithin(schema, size(schema) - 1);
    expect(unchecked).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'What is looked for' },
        mode: { enum: ['fast', { title: 'kept' }], description: 'How it is looked for' },
        places: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      },
      required: ['pattern'],
      additionalProperties: false,
    });
    const bare = schemaWithin(schema, size(unchecked) - 1);
    expect(bare['properties']).toMatchObject({ pattern: { type: 'string' } });
    expect(JSON.stringify(bare)).not.toContain('description');
    expect(schemaWithin(schema, size(bare) - 1)).toEqual({
      type: 'object',
      properties: { pattern: { type: 'string' } },
      description: 'Optional properties: mode, places.',
      required: ['pattern'],
      additionalProperties: false,
    });
  });

  it('says of every operation of the fleet what it needs in 1000 characters', () => {
    for (const operation of OPERATIONS) {
      const { input } = schemasOf(operation);
      const short = schemaWithin(input, 1_000);
      expect(JSON.stringify(short).length, operation.name).toBeLessThanOrEqual(1_000);
      expect(short['required']).toEqual(input['required']);
    }
  });
});
