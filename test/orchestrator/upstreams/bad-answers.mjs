// Answers calls with what is not the result of a tool, and can be told to answer no list.
import { send, speak, text } from './speak.mjs';

const tool = (name, call) => ({ name, inputSchema: { type: 'object' }, call });
const results = {
  empty: {},
  no_list: { content: 'text' },
  no_text: { content: [{ type: 'text' }] },
  no_address: { content: [{ type: 'resource', resource: {} }] },
  no_boolean: { content: [], isError: 'no' },
};
const never = new Promise(() => {});
speak(
  () => [
    ...Object.entries(results).map(([name, result]) => tool(name, () => result)),
    tool('nothing', (_args, { id }) => {
      send({ id });
      return never;
    }),
    tool('unknown_block', () => ({ content: [{ type: 'hologram', depth: 3 }] })),
    tool('good', () => text('good')),
  ],
  process.argv[2] === 'no-tools' ? { answers: { 'tools/list': () => ({ tools: 'none' }) } } : {},
);
