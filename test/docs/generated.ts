import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from './pages.ts';

/** Fails when pages that a script generates are out of date. */
export function expectUpToDate(script: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts', script), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}
