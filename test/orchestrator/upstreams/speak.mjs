import { createInterface } from 'node:readline';

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const notify = (method, params = {}) => send({ method, params });
export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** Speaks MCP of 2025-11-25 on stdio. `tools` has a definition and a `call` for each name. */
export function speak(tools, { capabilities = { tools: { listChanged: true } }, answers = {} } = {}) {
  const waiting = new Map();
  const canceled = new Set();
  let next = 1;
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = `q${next++}`;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities,
      serverInfo: { name: 'a-server', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools: tools().map(({ call: _call, ...tool }) => tool) }),
    'tools/call': (params, id) => {
      const tool = tools().find(({ name }) => name === params.name);
      if (tool === undefined)
        throw Object.assign(new Error(`Unknown tool: ${params.name}`), { code: -32602 });
      const token = params._meta?.progressToken;
      const progress = (told) =>
        token !== undefined && notify('notifications/progress', { progressToken: token, ...told });
      return tool.call(params.arguments ?? {}, {
        progress,
        ask,
        isCanceled: () => canceled.has(id),
        params,
        id,
      });
    },
    ...answers,
  };
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params = {}, result, error } = JSON.parse(line);
    if (method === undefined) {
      const { resolve, reject } = waiting.get(id) ?? {};
      if (error === undefined) resolve?.(result);
      else reject?.(Object.assign(new Error(error.message), error));
      return;
    }
    if (method === 'notifications/cancelled') canceled.add(params.requestId);
    if (id === undefined) return;
    try {
      const answer = methods[method];
      if (answer === undefined) throw Object.assign(new Error('Method not found'), { code: -32601 });
      const done = await answer(params, id);
      if (!canceled.has(id)) send({ id, result: done });
    } catch (thrown) {
      const { code = -32603, message, data } = thrown;
      send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } });
    }
  });
}
