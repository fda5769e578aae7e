import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isTrusted, refuseTrustInsideAgent, trust, trustCommand } from './trust.ts';

const AT = '2026-01-02T03:04:05.000Z';
let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet trust-'));
  home = join(root, 'home', 'fleet');
});
afterEach(() => rmSync(root, { recursive: true }));

test('trust holds for one file with one content, and survives', () => {
  const path = join(root, 'fleet.yaml');
  expect(isTrusted(home, path, 'aa')).toBe(false);
  trust(home, { path, hash: 'aa', at: AT });
  expect(isTrusted(home, path, 'aa')).toBe(true);
  expect(isTrusted(home, path, 'bb')).toBe(false);
  expect(isTrusted(home, join(root, 'other', 'fleet.yaml'), 'aa')).toBe(false);
  expect(isTrusted(join(root, 'other home'), path, 'aa')).toBe(false);
  trust(home, { path, hash: 'aa', at: AT });
  expect(isTrusted(home, path, 'aa')).toBe(true);
});

test('the same file by another way is the same file', () => {
  const path = join(root, 'fleet.yaml');
  writeFileSync(path, 'version: 1\n');
  symlinkSync(root, join(root, 'link'));
  trust(home, { path: join(root, 'link', 'fleet.yaml'), hash: 'aa', at: AT });
  expect(isTrusted(home, path, 'aa')).toBe(true);
});

test('what is kept can be read by its owner alone, and says what and when', () => {
  const path = join(root, 'fleet.yaml');
  trust(home, { path, hash: 'aa', at: AT });
  const [file = ''] = readdirSync(join(home, 'trusted'));
  const entry = join(home, 'trusted', file);
  expect(statSync(entry).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'trusted')).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(entry, 'utf8'))).toEqual({ path, hash: 'aa', at: AT });
});

test('processes that trust at the same time lose nothing of each other', async () => {
  const hashes = ['a', 'b', 'c', 'd'];
  const module = new URL('./trust.ts', import.meta.url).href;
  await Promise.all(
    hashes.map((hash) => {
      const entry = JSON.stringify({ path: '/x/fleet.yaml', hash, at: AT });
      const program = `const { trust } = await import(${JSON.stringify(module)}); trust(${JSON.stringify(home)}, ${entry});`;
      return promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    }),
  );
  expect(hashes.filter((hash) => isTrusted(home, '/x/fleet.yaml', hash))).toEqual(hashes);
});

test('a home that cannot be written to is a clear error', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => trust(join(root, 'file', 'home'), { path: '/x', hash: 'aa', at: AT })).toThrow(
    expect.objectContaining({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('ENOTDIR') as unknown,
    }),
  );
});

test('an agent cannot trust a configuration', () => {
  expect(() => refuseTrustInsideAgent({ FLEET_SELF_SOCKET: '/run/self.sock' })).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  );
  refuseTrustInsideAgent({});
});

test('the command can be typed as it stands', async () => {
  expect(trustCommand('/srv/fleet.yaml')).toBe('fleet trust /srv/fleet.yaml');
  const path = '/a b/it\'s $HOME `x` "ü"/fleet.yaml';
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    trustCommand(path).replace('fleet trust', 'printf %s'),
  ]);
  expect(stdout).toBe(path);
});
