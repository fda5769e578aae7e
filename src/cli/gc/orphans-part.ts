import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../backends/local/git.ts';
import { directoriesIn, type FoundDirectory } from './files-under.ts';
import { amountOf, type GcPart } from './gc-part.ts';

/** Worktrees of agents that nobody knows any more. Work that is nowhere else is never removed. */
export function orphansPart(home: string, known: ReadonlySet<string>, before: number): GcPart {
  return {
    name: 'orphaned_worktrees',
    title: 'worktrees without an agent',
    find: async () => {
      const all = directoriesIn(join(home, 'worktrees')).filter(({ name }) => !known.has(name));
      const old = all.filter(({ changed_at }) => changed_at < before);
      const clean: FoundDirectory[] = [];
      const withWork: FoundDirectory[] = [];
      for (const orphan of old) ((await hasWork(orphan)) ? withWork : clean).push(orphan);
      return {
        all: amountOf(all),
        old: amountOf(clean),
        ...(withWork.length === 0
          ? {}
          : { note: `work that is nowhere else stays: ${withWork.map(({ path }) => path).join(', ')}` }),
        remove: async () => {
          for (const { path } of clean) await removeWorktree(path);
        },
      };
    },
  };
}

/** Files, and no git that says that they are all in it: nobody knows what they are worth. */
async function hasWork({ path, bytes }: FoundDirectory): Promise<boolean> {
  if (bytes === 0) return false;
  const [top, status, refs] = await Promise.all([
    git(path, ['rev-parse', '--show-toplevel']),
    git(path, ['status', '--porcelain', '--ignored']),
    git(path, ['for-each-ref', '--contains', 'HEAD', '--count=1']),
  ]);
  const isWhole = top.ok && top.stdout.trim() === path && status.ok && refs.ok;
  return !isWhole || status.stdout !== '' || refs.stdout === '';
}

async function removeWorktree(path: string): Promise<void> {
  await git(path, ['worktree', 'unlock', path]);
  await git(path, ['worktree', 'remove', path]);
  rmSync(path, { recursive: true, force: true });
}
