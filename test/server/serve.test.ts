import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Authenticator } from '../../src/server/http/auth.ts';
import { BODY_LIMIT } from '../../src/server/http/http-input.ts';
import { startServer, type RunningServer } from '../../src/server/serve.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { makeTinyFleet, type TinyFleet } from './tiny-backend.ts';

const TOKEN = 'good-token';
const bearer = { Authorization: `Bearer ${TOKEN}` };

let tiny: TinyFleet;
let server: RunningServer;

beforeEach(async () => {
  tiny = makeTinyFleet();
  tiny.backend.addAgent('papi');
  tiny.backend.setBusy('papi', 'a long task');
  server = await start();
});

afterEach(() => server.close());

function start(parts: { port?: number; host?: string; signal?: AbortSignal } = {}): Promise<RunningServer> {
  const authenticator = new Authenticator({ token: TOKEN });
  return startServer({ fleet: tiny.fleet, authenticator, version: '1.2.3', ...parts });
}

function waiting(count: number) {
  return expect.poll(() => tiny.events.waiting, { timeout: 30_000 }).toBe(count);
}

describe('the server', () => {
  test('listens on loopback at a free port unless told otherwise', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(server.mcp_url).toBe(`${server.url}/mcp`);
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok', version: '1.2.3' });
    const everywhere = await start({ host: '0.0.0.0' });
    expect((await fetch(`${everywhere.url}/healthz`)).status).toBe(200);
    await everywhere.close();
  });

  test('says so when its port is taken', async () => {
    const port = Number(new URL(server.url).port);
    await expect(start({ port })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(String(port)),
      details: { reason: 'port_in_use' },
    });
    await expect(start({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('ends waits, event streams and MCP calls when it closes', async () => {
    const wait = fetch(`${server.url}/api/v1/wait?timeout_seconds=3600`, { headers: bearer });
    const events = await fetch(`${server.url}/events`, { headers: bearer });
    const modern = await connectClient('SDK v2, modern era', { mcp_url: server.mcp_url, token: TOKEN });
    const legacy = await connectClient('SDK v1', { mcp_url: server.mcp_url, token: TOKEN });
    const calls = [modern, legacy].map((client) =>
      client.call('wait_for_agents', { timeout_seconds: 3600 }).then(
        () => 'answered',
        () => 'ended',
      ),
    );
    await waiting(4);
    await server.close();
    expect((await wait).status).toBe(503);
    expect(await events.text()).toMatch(/^: events after \d+\n\n$/);
    await waiting(0);
    await legacy[Symbol.asyncDispose]();
    await modern[Symbol.asyncDispose]();
    expect(await Promise.all(calls)).toEqual(['ended', 'ended']);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  test('closes by its signal', async () => {
    const stop = new AbortController();
    const other = await start({ signal: stop.signal });
    stop.abort();
    await other.close();
    await expect(fetch(`${other.url}/healthz`)).rejects.toThrow();
  });

  test('ends an operation whose client goes', async () => {
    const gone = new AbortController();
    const wait = fetch(`${server.url}/api/v1/wait?timeout_seconds=3600`, {
      headers: bearer,
      signal: gone.signal,
    });
    await waiting(1);
    gone.abort();
    await expect(wait).rejects.toThrow();
    await waiting(0);
  });

  test('refuses a body over the limit before it has all of it', async () => {
    const { status, body } = await new Promise<{ status: number | undefined; body: string }>(
      (resolve, reject) => {
        const sending = request(`${server.url}/api/v1/agents`, {
          method: 'POST',
          headers: { ...bearer, 'Content-Type': 'application/json' },
        });
        sending.on('error', reject).on('response', (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('end', () => resolve({ status: response.statusCode, body }));
        });
        // Chunked and never ended: the length is not known beforehand.
        sending.write('x'.repeat(BODY_LIMIT + 1));
      },
    );
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'TOO_LARGE' } });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test('an MCP client needs the token', async () => {
    for (const kind of ['SDK v1', 'SDK v2, modern era'] as const) {
      await expect(connectClient(kind, { mcp_url: server.mcp_url, token: 'bad' })).rejects.toThrow();
    }
  });
});
