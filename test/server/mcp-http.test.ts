import { afterAll, beforeAll, describe } from 'vitest';
import { Authenticator } from '../../src/server/auth.ts';
import { startServer, type RunningServer } from '../../src/server/serve.ts';
import { describeDoor } from './door-tests.ts';
import { CLIENT_KINDS } from './mcp-clients.ts';
import { makeTinyFleet } from './tiny-backend.ts';

let server: RunningServer;

beforeAll(async () => {
  const { fleet, backend } = makeTinyFleet();
  backend.addAgent('sony');
  backend.addAgent('papi');
  backend.setBusy('papi', 'a long task');
  server = await startServer({
    fleet,
    authenticator: new Authenticator({ token: 'secret' }),
    version: '1.2.3',
  });
});

afterAll(() => server.close());

describe.each(CLIENT_KINDS)('MCP over HTTP for %s', (kind) => {
  describeDoor({ name: 'http', door: () => ({ url: server.mcp_url, token: 'secret' }) }, kind);
});
