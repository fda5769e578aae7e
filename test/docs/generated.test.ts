import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './pages.ts';

describe('pages that are made from the program', () => {
  it.each(['make-reference.ts', 'transcript.ts'])(
    'by %s are up to date',
    (script) => {
      const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts', script), '--check'], {
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
    120_000,
  );
});
