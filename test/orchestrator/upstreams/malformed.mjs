// Lists definitions that clients refuse beside good ones.
import { speak, text } from './speak.mjs';

const definitions = [
  { name: 'good', description: `Long. ${'word '.repeat(60)}`, inputSchema: { type: 'object' } },
  { name: 'no_schema' },
  { name: 'empty_schema', inputSchema: {} },
  { name: 'other_type', inputSchema: { type: 'string' } },
  { name: 7, inputSchema: { type: 'object' } },
];
speak(() => definitions.map((definition) => ({ ...definition, call: () => text('worked') })), {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  answers: {
    'resources/list': () => ({ resources: [{ name: 'no_address' }, { name: 'good', uri: 'lab:good' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'prompts/list': () => ({ prompts: [{ name: 'odd', arguments: 'none' }, { name: 'good' }] }),
  },
});
