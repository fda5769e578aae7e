import { git, gitText } from './git.ts';

export function treeOf(repository: string, commit: string): Promise<string> {
  return gitText(repository, ['rev-parse', `${commit}^{tree}`]);
}

/** Whether one commit leads to another. */
export async function isPart(repository: string, one: string, other: string): Promise<boolean> {
  return (await git(repository, ['merge-base', '--is-ancestor', one, other])).ok;
}

/** A commit that both lead to; undefined when there is none. */
export async function mergeBase(repository: string, one: string, other: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, ['merge-base', one, other]);
  return ok ? stdout.split('\n')[0] : undefined;
}
