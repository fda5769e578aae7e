import { git, gitText } from './git.ts';

export function treeOf(repository: string, commit: string): Promise<string> {
  return gitText(repository, ['rev-parse', `${commit}^{tree}`]);
}

/** A commit that both lead to; undefined when there is none. */
export async function mergeBase(repository: string, one: string, other: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, ['merge-base', one, other]);
  return ok ? stdout.split('\n')[0] : undefined;
}
