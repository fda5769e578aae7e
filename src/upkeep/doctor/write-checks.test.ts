import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rolesOf } from '../../config/built-in-roles.ts';
import { writeChecks } from './write-checks.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-write-'));
  for (const path of ['bin', '.cargo/registry', 'data'])
    mkdirSync(join(directory, path), { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

it.each([
  ['bin', 'on your PATH'],
  ['.cargo/registry', 'your own builds use'],
  ['gone', 'does not exist'],
])('warns of a role that lets agents write to %s', (path, reason) => {
  const write = [join(directory, path), join(directory, 'data')];
  const [role] = rolesOf({ roles: { coder: { write } } });
  const env = { HOME: directory, PATH: `/usr/bin:${join(directory, 'bin')}` };
  expect(role === undefined ? [] : writeChecks(role, env)).toEqual([
    { name: 'role coder', state: 'warn', message: expect.stringContaining(reason), fix: expect.any(String) },
  ]);
});
