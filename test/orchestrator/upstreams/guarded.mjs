// A server over HTTP that wants a login, and the authorization server that gives it: codes with PKCE, tokens that are good for
// three requests, or as many as it is told, refreshing, and clients of their own. Prints its address.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const clients = new Map([['machine', { secret: 'machine-secret' }]]);
const codes = new Map();
const tokens = new Map();
const refreshing = new Map();
const seen = [];
const uses = Number(process.argv[2]) || 3;
let base = '';

const json = (response, status, body, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const read = async (request) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
};
const give = (response, client, renewable) => {
  const access_token = `access-${randomUUID()}`;
  const refresh_token = `refresh-${randomUUID()}`;
  tokens.set(access_token, uses);
  if (renewable) refreshing.set(refresh_token, client);
  json(response, 200, {
    access_token,
    token_type: 'Bearer',
    expires_in: 3600,
    ...(renewable ? { refresh_token } : {}),
  });
};

const routes = {
  '/.well-known/oauth-protected-resource/mcp': (_request, response) =>
    json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] }),
  '/.well-known/oauth-authorization-server': (_request, response) =>
    json(response, 200, {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    }),
  '/register': async (request, response) => {
    const client_id = `client-${randomUUID()}`;
    const body = JSON.parse(await read(request));
    clients.set(client_id, { redirects: body.redirect_uris });
    json(response, 201, { ...body, client_id });
  },
  '/authorize': (request, response) => {
    const query = new URL(request.url, base).searchParams;
    const back = new URL(query.get('redirect_uri'));
    if (!clients.get(query.get('client_id'))?.redirects.includes(back.href))
      return json(response, 400, { error: 'bad client' });
    back.searchParams.set('state', query.get('state'));
    if (process.argv.includes('refuses')) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      codes.set(code, { challenge: query.get('code_challenge'), client: query.get('client_id') });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  },
  '/token': async (request, response) => {
    const form = new URLSearchParams(await read(request));
    const refuse = () => json(response, 400, { error: 'invalid_grant' });
    if (form.get('grant_type') === 'client_credentials') {
      const [id, secret] = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64')
        .toString()
        .split(':');
      return clients.get(id)?.secret === secret
        ? give(response, id, false)
        : json(response, 401, { error: 'invalid_client' });
    }
    if (form.get('grant_type') === 'refresh_token') {
      const client = refreshing.get(form.get('refresh_token'));
      refreshing.delete(form.get('refresh_token'));
      return client === undefined ? refuse() : give(response, client, true);
    }
    const known = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return known?.challenge === challenge ? give(response, known.client, true) : refuse();
  },
  // All tokens are too old at once.
  '/expire': (_request, response) => {
    tokens.clear();
    response.end();
  },
  '/mcp': async (request, response) => {
    const body = await read(request);
    const token = request.headers.authorization?.slice(7) ?? '';
    const left = tokens.get(token) ?? 0;
    if (left === 0) {
      const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    tokens.set(token, left - 1);
    if (method === 'tools/call') seen.push(token);
    const result = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'g', version: '1' },
      }),
      ping: () => ({}),
      'tools/list': () => ({
        tools: [{ name: 'token', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
      }),
      'tools/call': () => ({
        content: [{ type: 'text', text: `you sent ${token}; ${new Set(seen).size} so far` }],
      }),
    }[method];
    if (result === undefined)
      return json(response, 404, {
        jsonrpc: '2.0',
        id,
        error: { code: -32601, message: 'Method not found' },
      });
    json(response, 200, { jsonrpc: '2.0', id, result: result() });
  },
};
const server = createServer((request, response) => {
  const route = routes[new URL(request.url, base).pathname];
  if (route === undefined) return response.writeHead(404).end();
  void route(request, response);
});
server.listen(0, '127.0.0.1', () => {
  base = `http://127.0.0.1:${server.address().port}`;
  console.log(`${base}/mcp`);
});
