import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, rmdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPEN_CELL } from './cell.ts';
import { contain, containmentLevel, type Wrapped } from './containment.ts';
import type { World } from './world.ts';

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-contain-')));
  for (const path of ['real/root', 'real/scratch', 'shown/by/it', 'own']) {
    mkdirSync(join(directory, path), { recursive: true });
  }
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (path: string): string => join(directory, path);
const OPTIONS_OF_ROOT =
  'while read -r _ _ _ _ point options _; do [ "$point" != / ] || echo "$options"; done < /proc/self/mountinfo';

function wrapped(world: Partial<World>, script: string): Wrapped {
  const nothing = { root: at('real/root'), scratch: at('real/scratch'), shown: [], hidden: [], replaced: [] };
  return contain(['sh', '-c', script], {
    directory: '/',
    cell: { ...OPEN_CELL, world: { ...nothing, ...world } },
  });
}

function run({ file, args }: Wrapped): { readonly stdout: string; readonly stderr: string } {
  return spawnSync(file, args, { encoding: 'utf8' });
}

describe.skipIf(containmentLevel().level === 'marker')('the world of a contained program', () => {
  it.each(['link', 'with a space', 'two\nlines', 'back\\slash', 'escaped\\040space', 'a # and a %'])(
    'is read-only also when it is made in a directory called %j, which is a link',
    (name) => {
      mkdirSync(at(join('odd', name, 'root')), { recursive: true });
      mkdirSync(at(join('odd', name, 'scratch')));
      symlinkSync(at(join('odd', name)), at(name));
      const { stdout, stderr } = run(
        wrapped({ root: at(join(name, 'root')), scratch: at(join(name, 'scratch')) }, OPTIONS_OF_ROOT),
      );
      expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^ro\b/), stderr: '' });
    },
  );

  it('is not made when an agent has put a link in the place of a mount point', () => {
    const starting = wrapped(
      {
        replaced: [{ path: at('shown'), by: at('own') }],
        shown: [{ from: at('shown/by/it'), writable: true }],
      },
      'echo started',
    );
    expect(run(starting).stdout).toBe('started\n');
    rmdirSync(at('own/by'));
    symlinkSync(join(at('real/root'), 'usr'), at('own/by'));
    expect(run(starting)).toMatchObject({
      stdout: '',
      stderr: `fleet: the sandbox was not made: ${at('shown/by')} is not where it was\n`,
    });
  });
});
