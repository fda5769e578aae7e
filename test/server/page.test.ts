import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/auth.ts';
import { makeTinyFleet } from './tiny-backend.ts';

const ORIGIN = 'http://127.0.0.1:4000';

function setUp() {
  const { fleet, backend } = makeTinyFleet();
  backend.addAgent('sony');
  const authenticator = new Authenticator({ token: 'secret' });
  const app = createApp({ fleet, authenticator, version: '1.2.3' });
  const visit = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    app.request(`${ORIGIN}${path}`, { ...init, headers: { Host: '127.0.0.1:4000', ...headers } });
  const signIn = async (): Promise<string> => {
    const response = await visit(`/?code=${authenticator.makeCode()}`);
    return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  return { visit, signIn, authenticator };
}

describe('the page', () => {
  test('needs a session, and says how to get one', async () => {
    const { visit } = setUp();
    for (const cookie of ['', 'fleet_session_4000=guess']) {
      const response = await visit('/', { Cookie: cookie });
      expect(response.status).toBe(401);
      expect(await response.text()).toContain('fleet serve');
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  test('is opened by a code, once', async () => {
    const { visit, authenticator } = setUp();
    const link = `/?code=${authenticator.makeCode()}`;
    expect((await visit(link, {}, { method: 'HEAD' })).status).toBe(401);
    const first = await visit(link);
    expect(first.status).toBe(303);
    expect(first.headers.get('location')).toBe('/');
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^fleet_session_4000=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const again = await visit(link);
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(await again.text()).toContain('has been used');
    const page = await visit('/', { Cookie: cookie.split(';')[0] ?? '' });
    expect(page.status).toBe(200);
  });

  test('runs its own script and loads nothing from elsewhere', async () => {
    const { visit, signIn } = setUp();
    const response = await visit('/', { Cookie: await signIn() });
    const policy = response.headers.get('content-security-policy') ?? '';
    const html = await response.text();
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy) ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(html.match(/<(script|style)[^>]*>/g)).toEqual([
      `<style nonce="${nonce}">`,
      `<script nonce="${nonce}">`,
    ]);
    expect(html).not.toMatch(/https?:\/\/|innerHTML|insertAdjacentHTML|document\.write|\son\w+=/);
    const next = await visit('/', { Cookie: await signIn() });
    expect(next.headers.get('content-security-policy')).not.toContain(nonce);
  });

  test('its session reads and acts, from the page alone', async () => {
    const { visit, signIn } = setUp();
    const Cookie = await signIn();
    expect((await visit('/api/v1/agents', { Cookie })).status).toBe(200);
    const events = await visit('/events', { Cookie, 'Sec-Fetch-Site': 'same-origin' });
    expect(events.status).toBe(200);
    await events.body?.cancel();
    const act = { method: 'POST' };
    const path = '/api/v1/agents/sony/ack';
    expect((await visit(path, { Cookie, Origin: ORIGIN }, act)).status).toBe(200);
    expect((await visit(path, { Cookie }, act)).status).toBe(403);
    expect((await visit(path, { Cookie, Origin: 'null' }, act)).status).toBe(403);
    expect((await visit(path, { Cookie, Origin: 'http://127.0.0.1:4001' }, act)).status).toBe(403);
    expect((await visit('/api/v1/agents', { Cookie, 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
    expect((await visit('/mcp', { Cookie, Origin: ORIGIN }, act)).status).toBe(401);
    expect((await visit('/api/v1/agents', { Cookie, Authorization: 'Bearer bad' })).status).toBe(401);
  });
});
