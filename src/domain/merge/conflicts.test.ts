import { describe, expect, it } from 'vitest';
import { pairsInReach, type ChangedBranch } from './conflicts.ts';

const branch = (name: string, ...paths: string[]): ChangedBranch => ({
  name,
  commit: name,
  paths: new Set(paths),
});
const names = (...branches: ChangedBranch[]): string[] =>
  pairsInReach(branches).map(([one, other]) => `${one.name} ${other.name}`);

describe('pairs of branches that can be in conflict', () => {
  it('change the same file', () => {
    expect(names(branch('a', 'x', 'y'), branch('b', 'y'), branch('c', 'z'))).toEqual(['a b']);
  });

  it('have a file where the other has a directory', () => {
    expect(names(branch('a', 'x'), branch('b', 'x/deep/file'), branch('c', 'xx'))).toEqual(['a b']);
    expect(names(branch('b', 'x/deep/file'), branch('a', 'x/deep'))).toEqual(['b a']);
  });

  it('are none when nothing changes', () => {
    expect(names(branch('a'), branch('b'))).toEqual([]);
  });
});
