import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commitTree } from '../../git/commit-tree.ts';
import { gitText } from '../../git/git.ts';
import { copyIfThere, makeGitDirectory } from '../lender/git-directory.ts';
import { lenderProblem } from '../lender/lender-problem.ts';
import { lenderSettings, type LenderSettings } from '../lender/lender-settings.ts';
import { fleetRepository } from '../repository/fleet-repository.ts';
import { isPartialClone } from '../repository/partial-clone.ts';
import type { CheckPlace } from './check-place.ts';
import type { TreePaths } from './tree-paths.ts';

const WHEN = '2000-01-01T00:00:00Z';
const BRANCH = 'refs/heads/check';

/** Makes the git directory of a checkout: the tree as one commit. It borrows the objects of the project's repository and
 *  has copies of the others, because a check must not read Fleet's repository, where the work of all agents is. */
export async function makeCheckout(
  place: CheckPlace,
  tree: string,
  { work }: TreePaths,
): Promise<LenderSettings> {
  const { home, plan, clone } = place;
  const { lender, git_directory, format } = clone;
  const gone = lenderProblem(plan.repository, lender);
  if (gone !== undefined) throw new Error(gone);
  const path = join(work, '.git');
  mkdirSync(work, { recursive: true, mode: 0o700 });
  const settings = await lenderSettings(plan.repository, false);
  makeGitDirectory({
    path,
    format,
    head: `ref: ${BRANCH}`,
    settings: settings.copied,
    alternates: [join(lender, 'objects')],
  });
  copyIfThere(join(git_directory, 'info', 'sparse-checkout'), join(path, 'info', 'sparse-checkout'));
  for (const name of ['attributes', 'exclude'])
    copyIfThere(join(lender, 'info', name), join(path, 'info', name));
  const missing = (await isPartialClone(lender)) ? ['--missing=allow-any'] : [];
  await gitText(
    fleetRepository(home, clone),
    [
      'pack-objects',
      '--revs',
      // Without what is borrowed from the project's repository.
      '--local',
      '--non-empty',
      '--delta-base-offset',
      '-q',
      ...missing,
      join(path, 'objects', 'pack', 'pack'),
    ],
    { input: `${tree}\n` },
  );
  const commit = await commitTree(work, {
    tree,
    parents: [],
    message: 'The tree that is checked',
    env: { GIT_AUTHOR_DATE: WHEN, GIT_COMMITTER_DATE: WHEN },
  });
  await gitText(work, ['update-ref', BRANCH, commit]);
  return settings;
}
