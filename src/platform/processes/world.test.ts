import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { worldSteps } from './world.ts';

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-world-')));
  for (const path of ['a/b/c/d', 'shared', 'own']) mkdirSync(join(directory, path), { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (path: string): string => join(directory, path);
const NOTHING = { root: '/root-of-it', scratch: '/scratch-of-it', shown: [], hidden: [], replaced: [] };

const ALWAYS = ['dev/pts', 'dev/shm', 'hidden'];

interface Steps {
  /** What is made in the scratch directory. */
  readonly made: readonly string[];
  readonly files: readonly string[];
  readonly mounts: readonly string[];
}

/** Without what is the same in every world. */
function stepsOf(world: Partial<Parameters<typeof worldSteps>[0]>): Steps {
  const [, , , , count, ...words] = worldSteps({ ...NOTHING, ...world }).slice(0, -1);
  const [made, rest] = [words.slice(0, Number(count)), words.slice(Number(count))];
  const end = rest.indexOf('made');
  return {
    made: made.filter((path) => !ALWAYS.includes(path)),
    files: rest.slice(0, end).filter((word) => word !== 'file'),
    mounts: rest.slice(end + 1),
  };
}

describe('the steps that make a world', () => {
  it('leave out what is not there, and what is as it should be already', () => {
    expect(
      stepsOf({
        shown: [
          { from: at('a'), writable: true },
          { from: at('a/b'), writable: true },
          { from: at('a/b/c'), writable: false },
          { from: at('shared'), writable: false },
          { from: at('nowhere'), writable: true },
        ],
        hidden: [at('nowhere')],
      }),
    ).toEqual({ made: [], files: [], mounts: ['show', at('a'), at('a')] });
  });

  it('show again what lies in a hidden directory, each at a mount point that is made for it', () => {
    writeFileSync(at('a/file'), '');
    expect(
      stepsOf({
        shown: [
          { from: at('a/b'), writable: true },
          { from: at('a/file'), writable: false },
          { from: at('a/file'), at: at('a/deep/other'), writable: false },
        ],
        hidden: [at('a'), at('a/b/c')],
      }),
    ).toEqual({
      made: ['hidden/0', 'hidden/0/b', 'hidden/2', 'hidden/0', 'hidden/0/deep'],
      files: ['hidden/0/file', 'hidden/0/deep/other'],
      mounts: [
        ['hide', '0', at('a')],
        ['show', at('a/b'), at('a/b')],
        ['hide', '2', at('a/b/c')],
        ['read-file', at('a/file'), at('a/file')],
        ['read-file', at('a/file'), at('a/deep/other')],
      ].flat(),
    });
  });

  it('show without its mount points what is not to be written to', () => {
    const replaced = [{ path: at('a'), by: at('own') }];
    expect(stepsOf({ shown: [{ from: at('a/b'), writable: false }], replaced }).mounts).toEqual(
      [
        ['replace', at('own'), at('a')],
        ['read', at('a/b'), at('a/b')],
      ].flat(),
    );
  });

  it('pin the directories by which a hidden one could be moved', () => {
    expect(stepsOf({ shown: [{ from: at('a'), writable: true }], hidden: [at('a/b/c/d')] }).mounts).toEqual(
      [
        ['show', at('a'), at('a')],
        ['pin', at('a/b')],
        ['pin', at('a/b/c')],
        ['hide', '1', at('a/b/c/d')],
      ].flat(),
    );
  });

  it('follow no link that an agent left in the directory that is put in the place of another', () => {
    mkdirSync(at('outside'));
    symlinkSync(at('outside'), at('own/b'));
    const steps = stepsOf({
      shown: [{ from: at('a/b/c'), writable: true }],
      replaced: [{ path: at('a'), by: at('own') }],
    });
    expect(steps).toEqual({
      made: ['hidden/1', 'hidden/1/c'],
      files: [],
      mounts: [
        ['replace', at('own'), at('a')],
        ['hide', '1', at('a/b')],
        ['show', at('a/b/c'), at('a/b/c')],
      ].flat(),
    });
    expect(lstatSync(at('own/b')).isDirectory()).toBe(true);
    expect(existsSync(at('outside'))).toBe(true);
  });
});
