import { bareGitEnvironment } from '../../git/git-environment.ts';
import { gitProblem } from '../../git/git.ts';
import { runGit } from '../../git/run-git.ts';

export interface ChangedPath {
  readonly path: string;
  /** Null for a file that only one side has. */
  readonly before: string | null;
  readonly after: string | null;
  /** As git writes it, of the file that is there afterwards. */
  readonly mode: string;
  /** True for a submodule on either side. */
  readonly gitlink: boolean;
}

/** The files that differ between two commits or trees, in a repository that has both. */
export async function changesBetween(
  repository: string,
  from: string,
  to: string,
): Promise<readonly ChangedPath[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to, '--'];
  const { ok, stdout, stderr } = await runGit(['--git-dir', repository, ...args], {
    env: bareGitEnvironment(repository),
  });
  if (!ok) throw gitProblem(args, stderr);
  const words = stdout.toString().split('\0');
  const changes: ChangedPath[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode = '', newMode = '', before = '', after = ''] = (words[at] ?? '').slice(1).split(' ');
    changes.push({
      path: words[at + 1] ?? '',
      before: isNothing(before) ? null : before,
      after: isNothing(after) ? null : after,
      mode: newMode,
      gitlink: [oldMode, newMode].includes('160000'),
    });
  }
  return changes;
}

function isNothing(object: string): boolean {
  return /^0*$/.test(object);
}
