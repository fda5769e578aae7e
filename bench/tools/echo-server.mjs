// The least that an MCP server of the old era can be: whatever is measured through it is the way to it. With arguments it has
// as many tools as the first says, and keeps its first answer for as many milliseconds as the second says.
const [tools = '1', wait_ms = '0'] = process.argv.slice(2);
const send = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const inputSchema = {
  type: 'object',
  properties: {
    value: { type: 'string' },
    deep: { type: 'object', properties: { list: { type: 'array' } } },
  },
  required: ['value'],
};
const description = 'Says what it is told. '.repeat(Number(tools) > 1 ? 10 : 1);
const offered = Array.from({ length: Number(tools) }, (_, index) => ({
  name: index === 0 ? 'echo' : `echo_${index}`,
  description,
  inputSchema,
  annotations: { readOnlyHint: true },
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: offered }),
  'tools/call': ({ arguments: { value } }) => ({ content: [{ type: 'text', text: value }] }),
};

let held = '';
const take = (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  if (answer !== undefined) return send(id, answer(params));
  const error = { code: -32601, message: 'Method not found' };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
};
setTimeout(() => {
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop();
    lines.forEach(take);
  });
  process.stdin.on('end', () => process.exit(0));
}, Number(wait_ms));
