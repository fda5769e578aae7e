// Has schemas that are none, and one of 1 MB.
import { speak, text } from './speak.mjs';

const huge = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, index) => [
    `property_${index}`,
    { type: 'string', description: 'x'.repeat(30) },
  ]),
);
const schemas = {
  not_one: { type: 'object', properties: 'none', required: 7 },
  no_such_type: { type: 'thing' },
  a_text: 'a schema',
  missing: undefined,
  unknown_draft: {
    $schema: 'https://example.com/of-my-own',
    type: 'object',
    properties: { a: { type: 'integer' } },
  },
  broken_reference: { type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } },
  broken_pattern: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
  huge: { type: 'object', properties: huge },
};
speak(() =>
  Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema, call: () => text(name) })),
);
