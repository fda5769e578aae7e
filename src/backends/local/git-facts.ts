import type { GitFacts } from '../../domain/agent.ts';
import { git } from './git.ts';
import type { WorktreePlan } from './worktree-plan.ts';

/** Where the agent's work stands against its base; null when the worktree cannot be read. */
export async function gitFacts(plan: WorktreePlan): Promise<GitFacts | null> {
  const { directory, base_commit, base_name } = plan;
  const [status, numbers, commit, apart] = await Promise.all([
    git(directory, ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal']),
    git(directory, ['diff', '--no-ext-diff', '--no-textconv', '--shortstat', base_commit]),
    git(directory, ['log', '-1', '--format=%h %s']),
    commitsApart(plan),
  ]);
  if (!status.ok) return null;
  const entries = status.stdout.split('\0').filter((entry) => entry !== '');
  const branch =
    entries.find((entry) => entry.startsWith('# branch.head '))?.slice('# branch.head '.length) ?? null;
  const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
  const [behind, ahead] = apart.trim().split(/\s+/).map(Number);
  return {
    branch: branch === '(detached)' ? null : branch,
    base: base_name,
    ahead: ahead ?? 0,
    behind: behind ?? 0,
    changed_files: numberBefore(numbers.stdout, / files? changed/) + untracked,
    insertions: numberBefore(numbers.stdout, / insertions?\(\+\)/),
    deletions: numberBefore(numbers.stdout, / deletions?\(-\)/),
    dirty: entries.some((entry) => !entry.startsWith('# ')),
    last_commit: commit.ok ? commit.stdout.trim() : null,
  };
}

/** The base may have moved on since the agent was made; when it is gone, the recorded commit stands. */
async function commitsApart({ directory, base_name, base_commit }: WorktreePlan): Promise<string> {
  const count = (base: string) =>
    git(directory, ['rev-list', '--left-right', '--count', `${base}...HEAD`, '--']);
  const moved = await count(`refs/heads/${base_name}`);
  return moved.ok ? moved.stdout : (await count(base_commit)).stdout;
}

function numberBefore(text: string, what: RegExp): number {
  return Number(new RegExp(`(\\d+)${what.source}`).exec(text)?.[1] ?? 0);
}
