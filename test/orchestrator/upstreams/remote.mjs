// A server over HTTP that can be told how to behave badly. Prints its address.
import { createServer } from 'node:http';

const tools = ['work', 'drop', 'half', 'busy', 'broken', 'headers', 'large', 'large_event'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));
const mode = process.argv[2] ?? 'good';
const server = createServer(async (request, response) => {
  if (mode === 'redirect') return response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end();
  if (mode === 'unauthorized') return response.writeHead(401).end('who are you?');
  if (mode === 'drop') return request.socket.destroy();
  if (mode === 'html')
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  if (request.method !== 'POST') return response.writeHead(405).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const { id, method, params } = JSON.parse(body);
  const answer = (result) => {
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  if (id === undefined) return response.writeHead(202).end();
  if (method === 'initialize') {
    return answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'r', version: '1' },
    });
  }
  if (method === 'ping') return answer({});
  if (method === 'tools/list') return answer({ tools });
  if (method !== 'tools/call') {
    return response
      .writeHead(404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
  }
  switch (params.name) {
    case 'drop':
      return request.socket.destroy();
    case 'busy':
      return response.writeHead(429, { 'retry-after': '1' }).end('too many');
    case 'broken':
      return response.writeHead(500).end('oops');
    case 'half':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"jsonrpc":"2.0","id":');
      return setTimeout(() => response.socket.destroy(), 50);
    case 'large':
      return answer({ content: [{ type: 'text', text: 'x'.repeat(params.arguments.bytes) }] });
    case 'large_event': {
      const result = { content: [{ type: 'text', text: 'x'.repeat(params.arguments.bytes) }] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    }
    case 'headers':
      return answer({ content: [{ type: 'text', text: String(request.headers['x-lab']) }] });
    default:
      return answer({ content: [{ type: 'text', text: 'worked' }] });
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
