// Answers with JSON that is nested very deep, which only text can hold.
import { createInterface } from 'node:readline';

const deep = '['.repeat(200_000) + ']'.repeat(200_000);
const tool = (name) => ({ name, inputSchema: { type: 'object' } });
const content = [{ type: 'text', text: 'worked' }];
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'deep', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool('dig'), tool('work')] }),
  'tools/call': ({ name }) => ({ content, ...(name === 'dig' ? { structuredContent: 'DEEP' } : {}) }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  const text = JSON.stringify({ jsonrpc: '2.0', id, ...answer }).replace('"DEEP"', `{"deep":${deep}}`);
  process.stdout.write(`${text}\n`);
});
