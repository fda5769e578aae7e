import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findConfig } from './find-config.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet finds ü '));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(...parts: string[]): string {
  const path = join(root, ...parts);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'version: 1\n');
  return path;
}

test('the order is --config, FLEET_CONFIG, fleet.yaml here or above, the file of the user [CFG-order, CFG-trust-named]', () => {
  const cwd = join(root, 'work');
  mkdirSync(cwd);
  const search = { cwd, env: { HOME: join(root, 'home') } };
  expect(findConfig(search)).toBeUndefined();

  const own = put('home', '.config', 'fleet', 'fleet.yaml');
  expect(findConfig(search)).toEqual({ path: own, named: true });

  const xdg = put('xdg', 'fleet', 'fleet.yaml');
  const withXdg = { ...search, env: { ...search.env, XDG_CONFIG_HOME: join(root, 'xdg') } };
  expect(findConfig(withXdg)).toEqual({ path: xdg, named: true });

  mkdirSync(join(cwd, '.git'));
  const above = put('work', 'fleet.yaml');
  const below = join(cwd, 'a', 'b');
  mkdirSync(below, { recursive: true });
  expect(findConfig({ ...withXdg, cwd: below })).toEqual({ path: above, named: false });

  const here = above;
  expect(findConfig(withXdg)).toEqual({ path: here, named: false });

  const named = put('named.yaml');
  const withVariable = { ...withXdg, env: { ...withXdg.env, FLEET_CONFIG: '../named.yaml' } };
  expect(findConfig(withVariable)).toEqual({ path: named, named: true });

  const flagged = put('work', 'sub', 'flagged.json');
  expect(findConfig({ ...withVariable, flag: 'sub/flagged.json' })).toEqual({ path: flagged, named: true });
});

test('the search ends at the root of the git repository, and the nearest file is used', () => {
  put('fleet.yaml');
  const env = { HOME: join(root, 'home') };
  const cwd = join(root, 'work', 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  expect(findConfig({ cwd, env })).toBeUndefined();
  // A worktree has a file of that name.
  writeFileSync(join(root, 'work', '.git'), 'gitdir: /elsewhere\n');
  expect(findConfig({ cwd, env })).toBeUndefined();
  const top = put('work', 'fleet.yaml');
  expect(findConfig({ cwd, env })?.path).toBe(top);
  const nearer = put('work', 'a', 'fleet.yaml');
  expect(findConfig({ cwd, env })?.path).toBe(nearer);
});

test('what is found is named when it is named as well, or is the file of the user', () => {
  const here = put('home', '.config', 'fleet', 'fleet.yaml');
  const search = { cwd: join(here, '..'), env: { HOME: join(root, 'home') } };
  expect(findConfig(search)).toEqual({ path: here, named: true });
  expect(findConfig({ ...search, env: {}, flag: 'fleet.yaml' })).toEqual({ path: here, named: true });
});

test('empty variables and a relative XDG_CONFIG_HOME count as not set; ~/ is the home directory', () => {
  const own = put('home', '.config', 'fleet', 'fleet.yaml');
  const env = { HOME: join(root, 'home'), FLEET_CONFIG: '', XDG_CONFIG_HOME: 'relative' };
  expect(findConfig({ cwd: root, env })).toEqual({ path: own, named: true });
  const named = put('home', 'other.yaml');
  expect(findConfig({ cwd: root, env: { ...env, FLEET_CONFIG: '~/other.yaml' } })?.path).toBe(named);
});

test('a named file that is not there is an error that quotes it, also when others are there', () => {
  put('fleet.yaml');
  expect(() => findConfig({ flag: 'no where.yaml', cwd: root, env: {} })).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`"${join(root, 'no where.yaml')}" that --config names`) as unknown,
      details: { field: '--config', file: join(root, 'no where.yaml') },
    }),
  );
  expect(() => findConfig({ cwd: root, env: { FLEET_CONFIG: '/nowhere/fleet.yaml' } })).toThrow(
    /FLEET_CONFIG names/,
  );
  expect(() => findConfig({ cwd: root, env: { FLEET_CONFIG: join(root, 'fleet.yaml', 'x') } })).toThrow(
    /does not exist/,
  );
  expect(() => findConfig({ flag: '', cwd: root, env: {} })).toThrow(/"" that --config names/);
});
