import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Loose } from './collect-work.ts';
import { adminEnvironment, readNote, type WorktreePlace } from './find-worktree.ts';
import { git } from './git.ts';

/** Where git notes commits of a merge, rebase, pick or revert that was not finished. */
const NOTES = [
  ['original', 'rebase-merge/orig-head'],
  ['original', 'rebase-apply/orig-head'],
  ['merged', 'MERGE_HEAD'],
  ['picked', 'CHERRY_PICK_HEAD'],
  ['picked', 'REVERT_HEAD'],
  ['picked', 'REBASE_HEAD'],
  ['autostash', 'rebase-merge/autostash'],
  ['autostash', 'rebase-apply/autostash'],
  ['autostash', 'MERGE_AUTOSTASH'],
] as const;

/** Commits that nothing but the worktree itself leads to, beside its HEAD. */
export async function unfinishedCommits({ common, admin }: WorktreePlace): Promise<readonly Loose[]> {
  if (admin === undefined) return [];
  const noted = NOTES.flatMap(([what, file]) =>
    (readNote(admin, file) ?? '')
      .split('\n')
      .filter((line) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(line))
      .map((commit) => ({ what, commit })),
  );
  return [...noted, ...(await worktreeRefs(common, admin))];
}

/** Refs that each worktree has for itself. */
async function worktreeRefs(common: string, admin: string): Promise<readonly Loose[]> {
  const kinds = ['worktree', 'rewritten'].filter((kind) => existsSync(join(admin, 'refs', kind)));
  if (kinds.length === 0) return [];
  const refs = kinds.map((kind) => `refs/${kind}`);
  const { stdout } = await git(common, ['for-each-ref', '--format=%(objectname)', ...refs], {
    env: adminEnvironment(common, admin),
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((commit) => ({ what: 'ref', commit }));
}

/** What a commit that was cut off would have been called; empty when none was. */
export function cutOffMessage({ admin }: WorktreePlace): string {
  if (admin === undefined || !existsSync(join(admin, 'index.lock'))) return '';
  const lines = (readNote(admin, 'COMMIT_EDITMSG') ?? '').split('\n').filter((line) => !line.startsWith('#'));
  return lines.join('\n').trim().slice(0, 10_000);
}
