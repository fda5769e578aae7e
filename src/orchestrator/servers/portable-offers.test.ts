import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { isSpecType } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portableOffers } from './portable-offers.ts';

const object = { type: 'object' };

const portableTools = (listed: readonly unknown[]) => {
  const { offers: tools, leftOut } = portableOffers('tools', listed);
  return { tools, leftOut };
};

describe('portableOffers', () => {
  it.each([
    ['a missing inputSchema', { name: 'a' }, 'it has no inputSchema'],
    ['an inputSchema without a type', { name: 'a', inputSchema: {} }, /type of its inputSchema is not/],
    ['another type', { name: 'a', inputSchema: { type: 'string' } }, /type of its inputSchema is not/],
    ['a text as schema', { name: 'a', inputSchema: 'object' }, 'its inputSchema is not an object'],
    [
      'properties that are none',
      { name: 'a', inputSchema: { ...object, properties: 'none' } },
      'its inputSchema has malformed properties',
    ],
    [
      'required that is no list',
      { name: 'a', inputSchema: { ...object, required: 7 } },
      'its inputSchema has malformed properties',
    ],
    [
      'a malformed outputSchema',
      { name: 'a', inputSchema: object, outputSchema: 'x' },
      'its outputSchema is malformed',
    ],
    [
      'a number as description',
      { name: 'a', inputSchema: object, description: 7 },
      'its description is not a text',
    ],
    [
      'a hint that is no boolean',
      { name: 'a', inputSchema: object, annotations: { readOnlyHint: 'yes' } },
      'its annotations are malformed',
    ],
    [
      'icons that are none',
      { name: 'a', inputSchema: object, icons: [{ src: 7 }] },
      'its icons are malformed',
    ],
  ])('leaves out a tool with %s, by name and reason', (_what, tool, reason) => {
    const good = { name: 'good', inputSchema: object };
    const { tools, leftOut } = portableTools([tool, good]);
    expect(tools).toEqual([good]);
    expect(leftOut).toEqual([{ kind: 'tools', name: 'a', reason: expect.stringMatching(reason) as string }]);
  });

  it.each([[{ name: 7, inputSchema: object }], [{ name: '' }], [null], ['a tool'], [[]]])(
    'names a tool without a name by its place: %j',
    (tool) => {
      expect(portableTools([tool]).leftOut).toMatchObject([{ name: 'number 1' }]);
    },
  );

  it('keeps what clients accept as it is, unknown members too', () => {
    const tool = {
      name: 'a',
      inputSchema: { ...object, properties: { b: { $ref: '#/$defs/c' } }, $defs: { c: {} } },
      outputSchema: { ...object, additionalProperties: false },
      annotations: { readOnlyHint: true, ours: 1 },
      icons: [{ src: 'data:,' }],
      _meta: { known: true },
      other: { kept: [1] },
    };
    expect(portableTools([tool]).tools).toEqual([tool]);
  });

  it('writes what only newer clients read so that all read it', () => {
    const properties = { any: true, none: false, one: {} };
    const tool = { name: 'a', inputSchema: { ...object, properties }, outputSchema: { type: 'array' } };
    expect(portableTools([{ ...tool, description: null, annotations: null }]).tools).toEqual([
      { name: 'a', inputSchema: { ...object, properties: { any: {}, none: { not: {} }, one: {} } } },
    ]);
  });

  it('offers nothing that a client of either revision refuses', () => {
    const odd = fc.constantFrom<unknown>(null, 7, 'object', true, [], {}, object, [{ src: 'a' }], ['a']);
    const schema = fc.record(
      { type: fc.constantFrom('object', 'array', 7), properties: odd, required: odd, $schema: odd },
      { requiredKeys: [] },
    );
    const tool = fc.record(
      {
        name: fc.oneof(fc.string(), odd),
        title: odd,
        description: odd,
        inputSchema: fc.oneof({ weight: 4, arbitrary: schema }, { weight: 1, arbitrary: odd }),
        outputSchema: fc.oneof(schema, odd),
        annotations: fc.oneof(
          odd,
          fc.record({ title: odd, readOnlyHint: odd, openWorldHint: odd }, { requiredKeys: [] }),
        ),
        execution: fc.oneof(odd, fc.record({ taskSupport: odd })),
        icons: odd,
        _meta: odd,
      },
      { requiredKeys: ['name'] },
    );
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 3 }), (listed) => {
        const { tools, leftOut } = portableTools(listed);
        expect(tools.length + leftOut.length).toBe(listed.length);
        expect(ListToolsResultSchema.safeParse({ tools }).success).toBe(true);
        expect(isSpecType.ListToolsResult({ tools })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves out resources, templates and prompts that clients refuse', () => {
    const odd = [null, 7, 'text', true, [], {}, [{}], [{ name: 7 }], [{ name: 'a', required: null }]];
    const listed = odd.flatMap((value) => [
      { name: 'a', uri: value, uriTemplate: value },
      { name: 'a', uri: 'a:b', uriTemplate: 'a:{b}', mimeType: value, size: value },
      { name: 'a', uri: 'a:b', uriTemplate: 'a:{b}', arguments: value, title: value },
    ]);
    const resources = portableOffers('resources', listed);
    expect(resources.offers.length).toBeGreaterThan(0);
    expect(resources.leftOut).toContainEqual({
      kind: 'resources',
      name: 'a',
      reason: 'its uri is not a text',
    });
    expect(ListResourcesResultSchema.safeParse({ resources: resources.offers }).success).toBe(true);
    const { offers: templates } = portableOffers('resourceTemplates', listed);
    expect(isSpecType.ListResourceTemplatesResult({ resourceTemplates: templates })).toBe(true);
    const prompts = portableOffers('prompts', listed);
    expect(prompts.leftOut).toContainEqual({
      kind: 'prompts',
      name: 'a',
      reason: 'its arguments are malformed',
    });
    expect(ListPromptsResultSchema.safeParse({ prompts: prompts.offers }).success).toBe(true);
  });
});
