import { git } from '../../git/git.ts';
import type { KeptBranch } from './kept-branches.ts';

/** What kept branches take on disk: the objects that nothing else in their repository has. */
export async function keptBytes(kept: readonly KeptBranch[]): Promise<number> {
  const repositories = [...new Set(kept.map(({ repository }) => repository))];
  const sizes = await Promise.all(
    repositories.map((repository) =>
      bytesIn(
        repository,
        kept.filter((each) => each.repository === repository),
      ),
    ),
  );
  return sizes.reduce((total, bytes) => total + bytes, 0);
}

async function bytesIn(repository: string, kept: readonly KeptBranch[]): Promise<number> {
  const { ok, stdout } = await git(repository, [
    'rev-list',
    '--objects',
    '--disk-usage',
    ...kept.map(({ commit }) => commit),
    '--not',
    ...kept.map(({ branch }) => `--exclude=refs/heads/${branch}`),
    '--all',
  ]);
  // A git before 2.31 cannot count them.
  return ok ? Number(stdout) : 0;
}
