import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { containmentBound } from '../../src/platform/processes/containment.ts';
import { asUser, LEVELS } from './level.ts';

const BOMB = fileURLToPath(new URL('./programs/bomb.ts', import.meta.url));
const LIMIT = 60;

describe.each(LEVELS.filter(({ sealed }) => sealed))('a fork bomb $name', (level) => {
  const unlimited = level.uid === undefined && containmentBound() === null;
  const skip = level.skip ?? (unlimited ? 'no control group can be made here' : undefined);
  const reason = skip === undefined ? '' : ` (skipped: ${skip})`;

  it.skipIf(skip !== undefined)(`stays under the limit, and is gone with its task${reason}`, () => {
    const [file, ...args] = [...asUser(level.uid), process.execPath, BOMB, String(LIMIT)];
    const { stdout, stderr } = spawnSync(file, args, {
      env: { PATH: process.env['PATH'] },
      cwd: '/',
      encoding: 'utf8',
    });
    const seen = JSON.parse(stdout || `"${stderr}"`) as { most: number; left: number };
    expect(seen.most).toBeGreaterThan(LIMIT / 2);
    // Beside the program there are the processes of the containment itself.
    expect(seen.most).toBeLessThanOrEqual(LIMIT + 3);
    expect(seen.left).toBe(0);
  });
});
