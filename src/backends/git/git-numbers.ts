import type { WorkspaceGit } from '../../domain/agent.ts';

/** Git would look into a submodule by a git of its own, with the configuration that the agent wrote there. */
const WITHOUT_SUBMODULES = '--ignore-submodules=dirty';

export const GIT_STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', WITHOUT_SUBMODULES];
/** Followed by what the files are held against. */
export const GIT_SHORTSTAT = ['diff', '--no-ext-diff', '--no-textconv', '--shortstat', WITHOUT_SUBMODULES];

/** What git's status and short statistics say, in numbers. */
export function gitNumbers(
  status: string,
  shortstat: string,
): Pick<WorkspaceGit, 'changed_files' | 'insertions' | 'deletions' | 'dirty'> {
  const { untracked, tracked } = countEntries(status);
  return {
    changed_files: numberBefore(shortstat, / files? changed/) + untracked,
    insertions: numberBefore(shortstat, / insertions?\(\+\)/),
    deletions: numberBefore(shortstat, / deletions?\(-\)/),
    dirty: untracked + tracked > 0,
  };
}

/** How many files git does not know, and how many are other than in the commit. */
export function countEntries(status: string): { readonly untracked: number; readonly tracked: number } {
  const entries = status.split('\0').filter((entry) => entry !== '');
  const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
  return { untracked, tracked: entries.length - untracked };
}

function numberBefore(text: string, what: RegExp): number {
  return Number(new RegExp(`(\\d+)${what.source}`).exec(text)?.[1] ?? 0);
}
