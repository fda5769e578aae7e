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
  test('is one document for every view, which holds no data and sets no cookie', async () => {
    const { visit, codes } = setUp();
    const views = ['/', `/?code=${codes.make().code}`, '/inbox', '/agents/sony', '/agents/sony/changes'];
    const documents = await Promise.all(
      views.map(async (path) => {
        const response = await visit(path);
        expect([path, response.status, response.headers.get('set-cookie')]).toEqual([path, 200, null]);
        return await response.text();
      }),
    );
    expect(new Set(documents).size).toBe(1);
    expect(documents[0]).not.toContain('sony');
    for (const path of ['/assets/none.js', '/assets/../package.json', '/nowhere'])
      expect((await visit(path)).status).toBe(401);
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

  test('runs its own files and loads nothing from elsewhere', async () => {
    const { visit } = setUp();
    const response = await visit('/');
    const policy = response.headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    const html = await response.text();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toHaveLength(2);
    for (const file of files) {
      const asset = await visit(file);
      expect([file, asset.status]).toEqual([file, 200]);
      expect(asset.headers.get('cache-control')).toContain('immutable');
      expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(html).not.toMatch(/<script(?![^>]*src)|<style|\son\w+=/);
  });

  test('knows its user and what the user may do', async () => {
    const { visit, signIn } = setUp();
    const Authorization = `Bearer ${await signIn()}`;
    expect(await (await visit('/session', { Authorization })).json()).toEqual({
      principal: expect.any(String),
      scopes: ['read', 'operate', 'approve'],
      version: '1.2.3',
      chat: false,
      demo: false,
    });
    expect((await visit('/session', { Authorization: 'Bearer guess' })).status).toBe(401);
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
