import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'fleet-setup-'));
  mkdirSync(join(checkout, 'scripts'));
  for (const file of ['scripts/setup.mjs', 'package-lock.json'])
    cpSync(join(ROOT, file), join(checkout, file));
  writeFileSync(join(checkout, 'npm'), '#!/bin/sh\necho "$@" > called\n');
  chmodSync(join(checkout, 'npm'), 0o755);
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

it.each([
  { args: ['--dev'], asks: '--include=dev', what: 'the tools for tests' },
  { args: [], asks: '--omit=dev', what: 'only the libraries' },
])('set-up installs $what, whatever NODE_ENV says', ({ args, asks }) => {
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts', 'setup.mjs'), ...args], {
    env: { PATH: `${checkout}:${process.env['PATH']}`, NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(readFileSync(join(checkout, 'called'), 'utf8').split(/\s/)).toEqual(
    expect.arrayContaining(['ci', asks]),
  );
});
