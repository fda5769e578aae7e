import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionStore } from './session-store.ts';

const DAY_MS = 86_400_000;
let home: string;
let now: number;
let sessions: SessionStore;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-sessions-'));
  now = Date.parse('2026-03-01T12:00:00.000Z');
  sessions = new SessionStore(home, () => now);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = (): readonly string[] => readdirSync(join(home, 'browser-sessions'));

it('keeps sessions over a restart as hashes, readable by their user alone', () => {
  const { secret, expires_at } = sessions.open('Firefox on Linux');
  expect(new SessionStore(home, () => now).find(secret)).toMatch(/^[0-9a-f]{16}$/);
  expect(expires_at).toBe('2026-03-31T12:00:00.000Z');
  const directory = join(home, 'browser-sessions');
  const [name = ''] = files();
  expect(`${name}${readFileSync(join(directory, name), 'utf8')}`).not.toContain(secret);
  expect(statSync(directory).mode & 0o077).toBe(0);
  for (const guess of ['', 'guess', '../../token', secret.slice(1)])
    expect(sessions.find(guess)).toBeUndefined();
});

it('ends a session after 30 days, and one that was removed at once', () => {
  const { secret } = sessions.open('Firefox on Linux');
  now += 30 * DAY_MS - 1;
  expect(sessions.find(secret)).toBeDefined();
  now += 1;
  expect(sessions.find(secret)).toBeUndefined();
  const next = sessions.open('Firefox on Linux');
  expect(files()).toHaveLength(1);
  rmSync(join(home, 'browser-sessions'), { recursive: true });
  expect(sessions.find(next.secret)).toBeUndefined();
});

it('keeps a hundred sessions, the newest', () => {
  const secrets = Array.from({ length: 102 }, () => {
    now += 1;
    return sessions.open('Firefox on Linux').secret;
  });
  expect(files()).toHaveLength(100);
  expect(secrets.map((secret) => sessions.find(secret) !== undefined)).toEqual([
    false,
    false,
    ...Array(100).fill(true),
  ]);
});

it('lists sessions with their browser and when they were last used, and ends one of them', () => {
  const first = sessions.open('Firefox on Linux').secret;
  now += 1_000;
  const second = sessions.open('Safari on iPhone').secret;
  now += 60 * 60_000;
  const id = sessions.find(first) ?? '';
  expect(sessions.list()).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      created_at: '2026-03-01T12:00:01.000Z',
      last_seen_at: '2026-03-01T12:00:01.000Z',
      expires_at: '2026-03-31T12:00:01.000Z',
      browser: 'Safari on iPhone',
    },
    {
      id,
      created_at: '2026-03-01T12:00:00.000Z',
      last_seen_at: '2026-03-01T13:00:01.000Z',
      expires_at: '2026-03-31T12:00:00.000Z',
      browser: 'Firefox on Linux',
    },
  ]);
  expect(JSON.stringify(sessions.list())).not.toContain(first);
  expect(sessions.end('0123456789abcdef')).toBe(false);
  expect(sessions.end(id)).toBe(true);
  expect(sessions.end(id)).toBe(false);
  expect(sessions.find(first)).toBeUndefined();
  expect(sessions.list().map(({ id: each }) => each)).toEqual([sessions.find(second)]);
});

it('reads a session that an older version wrote', () => {
  const { secret } = sessions.open('Firefox on Linux');
  const file = join(home, 'browser-sessions', files()[0] ?? '');
  const { browser: _, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify(older));
  expect(sessions.list()).toMatchObject([{ id: sessions.find(secret), browser: 'unknown' }]);
});
