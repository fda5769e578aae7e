import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { SessionStore } from '../../src/fleet/access/session-store.ts';
import { SignInCodes } from '../../src/fleet/access/sign-in-codes.ts';
import { makeTinyFleet } from './tiny-backend.ts';

const ORIGIN = 'http://127.0.0.1:4000';
let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-page-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function setUp() {
  const { fleet, backend } = makeTinyFleet();
  backend.addAgent('sony');
  const codes = new SignInCodes(home);
  const sessions = new SessionStore(home);
  const authenticator = new Authenticator({ token: 'secret', sessions, codes });
  const app = createApp({ fleet, authenticator, version: '1.2.3' });
  const visit = async (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    app.request(`${ORIGIN}${path}`, { ...init, headers: { Host: '127.0.0.1:4000', ...headers } });
  const open = (code: string, headers: Record<string, string> = {}) =>
    visit('/session', { Authorization: `Code ${code}`, ...headers }, { method: 'POST' });
  const signIn = async (): Promise<string> => {
    const answer = (await (await open(codes.make().code)).json()) as { secret: string };
    return answer.secret;
  };
  return { visit, open, signIn, codes };
}

describe('the page', () => {
  test('holds no data, sets no cookie, and says how to sign in', async () => {
    const { visit, codes } = setUp();
    for (const path of ['/', `/?code=${codes.make().code}`, '/?code=guess']) {
      const response = await visit(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('set-cookie')).toBeNull();
      const html = await response.text();
      expect(html).toMatch(/For a link, run <code>fleet open<\/code>/);
      expect(html).not.toContain('sony');
    }
  });

  test('is opened by a code, once', async () => {
    const { open, codes } = setUp();
    const code = codes.make().code;
    const first = await open(code, { Origin: ORIGIN });
    expect(first.status).toBe(201);
    expect(first.headers.get('set-cookie')).toBeNull();
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(await first.json()).toEqual({
      secret: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.stringMatching(/Z$/),
    });
    const again = await open(code);
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({
      error: { code: 'UNAUTHORIZED', message: expect.stringContaining('has been used') },
    });
    expect((await open(codes.make().code, { Origin: 'http://127.0.0.1:4001' })).status).toBe(403);
  });

  test('runs its own script and loads nothing from elsewhere', async () => {
    const { visit } = setUp();
    const response = await visit('/');
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
    expect((await visit('/')).headers.get('content-security-policy')).not.toContain(nonce);
  });

  test('its secret reads and acts as a header, and never as a cookie [PAGE-no-cookie]', async () => {
    const { visit, signIn } = setUp();
    const secret = await signIn();
    const Authorization = `Bearer ${secret}`;
    expect((await visit('/api/v1/agents', { Authorization })).status).toBe(200);
    const events = await visit('/events', { Authorization });
    expect(events.status).toBe(200);
    await events.body?.cancel();
    const act = { method: 'POST' };
    const path = '/api/v1/agents/sony/ack';
    expect((await visit(path, { Authorization, Origin: ORIGIN }, act)).status).toBe(200);
    expect((await visit(path, { Authorization, Origin: 'null' }, act)).status).toBe(403);
    expect((await visit(path, { Authorization, Origin: 'http://127.0.0.1:4001' }, act)).status).toBe(403);
    expect((await visit('/mcp', { Authorization, Origin: ORIGIN }, act)).status).toBe(401);
    for (const name of ['fleet_session_4000', 'fleet-session', 'session', 'Authorization']) {
      const Cookie = `${name}=${secret}`;
      expect((await visit('/api/v1/agents', { Cookie })).status).toBe(401);
      expect((await visit('/events', { Cookie })).status).toBe(401);
      expect((await visit(path, { Cookie, Origin: ORIGIN }, act)).status).toBe(401);
    }
  });
});
