import { statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { startServe, type ServeProcess } from './serve-process.ts';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServeProcess;
beforeAll(async () => {
  fleet = opened.use(localFleet());
  served = opened.use(await startServe(fleet.env, '--port', '0'));
});
afterAll(() => opened.disposeAsync());

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host, port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('fleet serve', () => {
  it('says first where it answers, once it does [INTERFACE-serve-json]', async () => {
    await using other = await startServe(fleet.env, '--port', '0');
    // The line was strictly an object of these four; now it must answer at once.
    expect((await other.send({ path: '/healthz' })).status).toBe(200);
    expect(other.mcp_url).toBe(`${other.url}/mcp`);
    expect(other.token_file).toBe(join(fleet.home, 'token'));
    expect(() => process.kill(other.pid, 0)).not.toThrow();
    expect(other.pid).not.toBe(served.pid);
  });

  it('listens on 127.0.0.1 alone, at a port of its own [INTERFACE-serve-address]', async () => {
    const { hostname, port } = new URL(served.url);
    expect(hostname).toBe('127.0.0.1');
    expect(Number(port)).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(await canConnect('127.0.0.2', Number(port))).toBe(false);
    const taken = await runFleet(['serve', '--port', port, '--json'], { env: fleet.env });
    expect(taken.code).toBe(4);
    expect(JSON.parse(taken.stdout)).toMatchObject({
      error: { code: 'CONFLICT', message: expect.stringContaining(port), details: { field: 'port' } },
    });
    await using wide = await startServe(fleet.env, '--port', '0', '--host', '0.0.0.0');
    if (process.platform === 'linux') {
      expect(await canConnect('127.0.0.2', Number(new URL(wide.url).port))).toBe(true);
    }
    expect(wide.stderr()).toContain('0.0.0.0');
    for (const bad of ['65536', '-1', '1e3', 'http', '']) {
      const refused = await runFleet(['serve', `--port=${bad}`], { env: fleet.env });
      expect(refused.code, bad).toBe(2);
      expect(refused.stderr).toContain(JSON.stringify(bad));
    }
  });

  it('takes the token of FLEET_TOKEN, else that of the file, as a bearer [INTERFACE-token]', async () => {
    const status = async (server: ServeProcess, authorization: string): Promise<number> =>
      (await server.send({ headers: { authorization } })).status;
    expect(statSync(join(fleet.home, 'token')).mode & 0o777).toBe(0o600);
    expect(await status(served, `Bearer ${served.token}`)).toBe(200);
    for (const bad of ['', `Basic ${served.token}`, served.token, `Bearer ${served.token}x`, 'Bearer x']) {
      expect(await status(served, bad), bad).toBe(401);
    }
    await using other = await startServe({ ...fleet.env, FLEET_TOKEN: 'of-my-own' }, '--port', '0');
    expect(await status(other, 'Bearer of-my-own')).toBe(200);
    expect(await status(other, `Bearer ${served.token}`)).toBe(401);
    const shown = await runFleet(['token', '--show'], { env: fleet.env });
    expect(shown.stdout.trim()).toBe(served.token);
    for (const FLEET_TOKEN of ['two words', 'ümlaut', 'x\ty']) {
      const refused = await runFleet(['serve', '--port=0'], { env: { ...fleet.env, FLEET_TOKEN } });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('FLEET_TOKEN');
      expect(refused.stderr).not.toContain(FLEET_TOKEN);
    }
  });

  it('answers at /healthz and with the page for anyone, and nowhere else [INTERFACE-healthz]', async () => {
    const headers = { authorization: '' };
    expect(await served.send({ path: '/healthz', headers })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await served.send({ path: '/', headers })).toMatchObject({ status: 200 });
    for (const path of [
      '/mcp',
      '/events',
      '/metrics',
      '/api/openapi.json',
      '/api/v1/agents',
      '/api/v1/wait',
      '/api/v1/projects',
      '/healthz/x',
      '/nothing',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect((await served.send({ method, path, headers })).status, `${method} ${path}`).toBe(401);
      }
    }
  });

  it('counts agents and requests at /metrics [INTERFACE-metrics]', async () => {
    await idleAgent(askAs(fleet.fleet), 'sony');
    await served.send({ path: '/api/v1/agents/sony' });
    await served.send({ path: '/api/v1/agents/nobody' });
    const { status, body } = await served.send({ path: '/metrics' });
    expect(status).toBe(200);
    const lines = String(body).split('\n');
    expect(lines).toContain('fleet_agents{status="idle"} 1');
    expect(lines).toContain('fleet_agents{status="busy"} 0');
    expect(lines).toContain('fleet_agents_needing_attention 0');
    for (const code of [200, 404]) {
      expect(lines).toContain(
        `fleet_http_requests_total{route="/api/v1/agents/{agent_name}",code="${code}"} 1`,
      );
    }
  });
});
