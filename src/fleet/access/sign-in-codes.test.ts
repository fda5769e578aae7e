import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SignInCodes } from './sign-in-codes.ts';

let home: string;
let now: number;
let codes: SignInCodes;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-codes-'));
  now = Date.parse('2026-03-01T12:00:00.000Z');
  codes = new SignInCodes(home, () => now);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = (): readonly string[] => readdirSync(join(home, 'sign-in-codes'));

it('makes codes that work once, in any process, and keeps only their hashes', () => {
  const { code, expires_at } = codes.make();
  expect(expires_at).toBe('2026-03-01T12:10:00.000Z');
  const kept = files().map((name) => name + readFileSync(join(home, 'sign-in-codes', name), 'utf8'));
  expect(kept.join()).not.toContain(code);
  for (const guess of ['', 'guess', '../../token', code.slice(1)]) expect(codes.take(guess)).toBe(false);
  const other = new SignInCodes(home, () => now);
  expect([other.take(code), codes.take(code), other.take(code)]).toEqual([true, false, false]);
  expect(files()).toEqual([]);
});

it('makes codes that work for ten minutes', () => {
  const [early, late] = [codes.make().code, codes.make().code];
  now += 10 * 60_000;
  expect(codes.take(early)).toBe(true);
  now += 1;
  expect(codes.take(late)).toBe(false);
});

it('keeps a hundred codes, the newest, and none that has expired', () => {
  const all = Array.from({ length: 102 }, () => {
    now += 1;
    return codes.make().code;
  });
  expect(files()).toHaveLength(100);
  expect(codes.take(all[1] ?? '')).toBe(false);
  expect(codes.take(all[2] ?? '')).toBe(true);
  now += 11 * 60_000;
  codes.make();
  expect(files()).toHaveLength(1);
});
