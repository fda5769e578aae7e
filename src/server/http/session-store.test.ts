import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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
  const { secret, expires_at } = sessions.open();
  expect(new SessionStore(home, () => now).has(secret)).toBe(true);
  expect(expires_at).toBe('2026-03-31T12:00:00.000Z');
  const directory = join(home, 'browser-sessions');
  const [name = ''] = files();
  expect(`${name}${readFileSync(join(directory, name), 'utf8')}`).not.toContain(secret);
  expect(statSync(directory).mode & 0o077).toBe(0);
  for (const guess of ['', 'guess', '../../token', secret.slice(1)]) expect(sessions.has(guess)).toBe(false);
});

it('ends a session after 30 days, and one that was removed at once', () => {
  const { secret } = sessions.open();
  now += 30 * DAY_MS - 1;
  expect(sessions.has(secret)).toBe(true);
  now += 1;
  expect(sessions.has(secret)).toBe(false);
  const next = sessions.open();
  expect(files()).toHaveLength(1);
  rmSync(join(home, 'browser-sessions'), { recursive: true });
  expect(sessions.has(next.secret)).toBe(false);
});

it('keeps a hundred sessions, the newest', () => {
  const secrets = Array.from({ length: 102 }, () => {
    now += 1;
    return sessions.open().secret;
  });
  expect(files()).toHaveLength(100);
  expect(secrets.map((secret) => sessions.has(secret))).toEqual([false, false, ...Array(100).fill(true)]);
});
