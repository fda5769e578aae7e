import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Authenticator, readOrMakeToken, tokenFile } from './auth.ts';
import { SessionStore } from '../../fleet/access/session-store.ts';
import { SignInCodes } from '../../fleet/access/sign-in-codes.ts';

describe('the token', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'fleet-auth-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test('is FLEET_TOKEN, else what the file in the home holds [INTERFACE-token]', () => {
    writeFileSync(tokenFile(home), 'from-the-file\n', { mode: 0o600 });
    expect(readOrMakeToken(home, { FLEET_TOKEN: 'from-the-variable' })).toBe('from-the-variable');
    expect(readOrMakeToken(home, { FLEET_TOKEN: '' })).toBe('from-the-file');
    expect(readOrMakeToken(home, {})).toBe('from-the-file');
  });

  test('is made at the first start, for its owner alone', () => {
    const token = readOrMakeToken(home, {});
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(readFileSync(tokenFile(home), 'utf8')).toBe(`${token}\n`);
    expect(statSync(tokenFile(home)).mode & 0o777).toBe(0o600);
    expect(readOrMakeToken(home, {})).toBe(token);
    expect(readdirSync(home)).toEqual(['token']);
  });

  test('is kept to its owner when it was not', () => {
    writeFileSync(tokenFile(home), 'mine');
    chmodSync(tokenFile(home), 0o644);
    expect(readOrMakeToken(home, {})).toBe('mine');
    expect(statSync(tokenFile(home)).mode & 0o777).toBe(0o600);
  });

  test('is one, however many processes start first', async () => {
    const module = new URL('auth.ts', import.meta.url).href;
    const script = `import { readOrMakeToken } from '${module}'; process.stdout.write(readOrMakeToken(process.argv[1], {}));`;
    const runs = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, home]),
    );
    const tokens = (await Promise.all(runs)).map(({ stdout }) => stdout);
    expect(new Set(tokens)).toEqual(new Set([readOrMakeToken(home, {})]));
    expect(readdirSync(home)).toEqual(['token']);
  });

  test.each(['', ' \n', 'two words', 'ümlaut'])('is refused when it is %j', (text) => {
    writeFileSync(tokenFile(home), text);
    expect(() => readOrMakeToken(home, {})).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('callers', () => {
  test('a bearer is a token over HTTP and an AI over MCP', () => {
    const authenticator = new Authenticator({ token: 'secret' });
    expect(authenticator.bearer('Bearer secret', 'http')).toEqual({
      principal: { kind: 'token', name: 'default' },
      door: 'http',
      source: 'human',
      scopes: new Set(['read', 'operate', 'approve']),
    });
    expect(authenticator.bearer('bearer  secret', 'mcp-http')).toEqual({
      principal: { kind: 'mcp', name: 'http' },
      door: 'mcp-http',
      source: 'ai',
      scopes: new Set(['read', 'operate']),
    });
    const reader = new Authenticator({ token: 'secret', mcpScopes: ['read'] });
    expect(reader.bearer('Bearer secret', 'mcp-http')?.scopes).toEqual(new Set(['read']));
  });

  test.each([
    undefined,
    '',
    'secret',
    'Bearer',
    'Bearer Secret',
    'Bearer secret2',
    'Bearer secre',
    'Basic secret',
  ])('%j is nobody', (header) => {
    const authenticator = new Authenticator({ token: 'secret' });
    expect(authenticator.bearer(header, 'http')).toBeUndefined();
  });

  test('a code opens one session, within ten minutes', () => {
    let now = 0;
    const home = mkdtempSync(join(tmpdir(), 'fleet-auth-'));
    const sessions = new SessionStore(home, () => now);
    const codes = new SignInCodes(home, () => now);
    const authenticator = new Authenticator({ token: 'secret', sessions, codes });
    const { code } = codes.make();
    const { code: late } = codes.make();
    now = 10 * 60_000;
    const header = `Bearer ${authenticator.openSession(code, 'curl/8')?.secret ?? ''}`;
    expect(authenticator.bearer(header, 'http')).toEqual({
      principal: { kind: 'user', name: 'page' },
      door: 'page',
      source: 'human',
      scopes: new Set(['read', 'operate', 'approve']),
      session: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(sessions.list()).toMatchObject([{ browser: 'curl' }]);
    expect(authenticator.bearer(header, 'mcp-http')).toBeUndefined();
    expect(authenticator.openSession(code, '')).toBeUndefined();
    now += 1;
    expect(authenticator.openSession(late, '')).toBeUndefined();
    expect(authenticator.openSession('guess', '')).toBeUndefined();
    rmSync(home, { recursive: true, force: true });
  });
});
