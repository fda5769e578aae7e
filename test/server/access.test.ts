import { describe, expect, test } from 'vitest';
import { errorOf, setUpApp, TOKEN } from './app-under-test.ts';

describe('who may ask', () => {
  test('/healthz and the page, which holds no data, answer anyone, and nothing else does', async () => {
    const { ask } = setUpApp();
    const nobody = { headers: { Authorization: '' } };
    const health = await ask('/healthz', nobody);
    expect(await health.json()).toEqual({ status: 'ok', version: '1.2.3' });
    expect((await ask('/', nobody)).status).toBe(200);
    for (const path of [
      '/mcp',
      '/events',
      '/metrics',
      '/api/openapi.json',
      '/api/v1/agents',
      '/api/v1/nothing',
      '/nothing',
    ]) {
      expect((await ask(path, nobody)).status, path).toBe(401);
    }
  });

  test('no token, a bad one and another scheme are UNAUTHORIZED', async () => {
    const { ask } = setUpApp();
    for (const Authorization of [
      '',
      'Bearer',
      'Bearer bad',
      `Bearer ${TOKEN}x`,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN} x`,
    ]) {
      const response = await ask('/api/v1/agents', { headers: { Authorization } });
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect((await errorOf(response, 401)).code).toBe('UNAUTHORIZED');
    }
    expect((await ask('/api/v1/agents', { headers: { Authorization: `bearer ${TOKEN}` } })).status).toBe(200);
  });

  test('a token without the right is FORBIDDEN', async () => {
    const { post } = setUpApp();
    const error = await errorOf(await post('/api/v1/agents/sony/reports', { message: 'done' }), 403);
    expect(error).toMatchObject({ code: 'FORBIDDEN', details: { scopes: ['self'] } });
  });

  test('a foreign host or origin is FORBIDDEN even with a good token [ERR-foreign]', async () => {
    const { ask } = setUpApp({ allowedHosts: ['Fleet.example', 'fe80::1'] });
    const hosts = [
      '127.0.0.1:4000',
      'localhost',
      'LOCALHOST:1',
      '[::1]:4000',
      'fleet.example:4000',
      '[fe80::1]',
    ];
    for (const host of hosts)
      expect((await ask('/healthz', { headers: { Host: host } })).status, host).toBe(200);
    const strangers = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '0.0.0.0',
      'evil@localhost',
      'localhost:1:2',
    ];
    for (const host of strangers) {
      const error = await errorOf(await ask('/api/v1/agents', { headers: { Host: host } }), 403);
      expect(error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'foreign_host' } });
    }
    const own = { Host: 'localhost:4000', Origin: 'http://localhost:4000' };
    expect((await ask('/api/v1/agents', { headers: own })).status).toBe(200);
    for (const Origin of [
      'null',
      'http://evil.example',
      'https://localhost:4000',
      'http://localhost:4001',
      'http://localhost',
      'nonsense',
    ]) {
      for (const path of ['/api/v1/agents', '/mcp', '/healthz', '/']) {
        const response = await ask(path, { headers: { Host: 'localhost:4000', Origin } });
        expect((await errorOf(response, 403)).details).toMatchObject({ reason: 'foreign_origin' });
      }
    }
  });

  test('public_url is a host and an origin of this server [INTERFACE-public-url]', async () => {
    const { ask } = setUpApp({ publicUrl: 'https://fleet.example' });
    const status = async (Host: string, Origin?: string): Promise<number> =>
      (await ask('/api/v1/agents', { headers: { Host, ...(Origin === undefined ? {} : { Origin }) } }))
        .status;
    expect(await status('fleet.example')).toBe(200);
    expect(await status('Fleet.Example', 'https://fleet.example')).toBe(200);
    // A proxy that does not pass the host on.
    expect(await status('127.0.0.1:4000', 'https://fleet.example')).toBe(200);
    expect(await status('127.0.0.1:4000', 'http://127.0.0.1:4000')).toBe(200);
    for (const origin of [
      'http://fleet.example',
      'https://fleet.example:8443',
      'https://evil.example',
      'null',
    ])
      for (const host of ['fleet.example', '127.0.0.1:4000'])
        expect(await status(host, origin), `${host} ${origin}`).toBe(403);
    expect(await status('fleet.example', 'http://127.0.0.1:4000')).toBe(403);
    expect(await status('fleet.example:8443')).toBe(403);
    expect(await status('sub.fleet.example')).toBe(403);
  });
});
