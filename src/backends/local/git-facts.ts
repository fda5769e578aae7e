import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitFacts } from '../../domain/agent.ts';
import { remoteAddress } from '../../domain/remote-address.ts';
import { borrowGit } from './borrowed-git.ts';
import { findWorktree, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';
import { headOf, type Head } from './head-of.ts';
import type { WorktreePlan } from './worktree-plan.ts';

/** Where the agent's work stands against its base; null when the worktree cannot be read. */
export async function gitFacts(plan: WorktreePlan, scratch: string): Promise<GitFacts | null> {
  try {
    return await look(plan, scratch);
  } catch {
    return null;
  }
}

async function look(plan: WorktreePlan, scratch: string): Promise<GitFacts | null> {
  const place = await findWorktree(plan);
  if (place.files === undefined || place.admin === undefined) return null;
  const head = await headOf(place, []);
  using borrowed = await borrowGit({ ...place, scratch });
  if (head.commit !== undefined) writeFileSync(join(borrowed.directory, 'HEAD'), `${head.commit}\n`);
  const [status, numbers, subject, [behind, ahead], remote] = await Promise.all([
    borrowed.try(['status', '--porcelain=v2', '-z', '--untracked-files=normal', WITHOUT_SUBMODULES]),
    borrowed.try([
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--shortstat',
      WITHOUT_SUBMODULES,
      plan.base_commit,
    ]),
    borrowed.try(['log', '-1', '--format=%h %s']),
    apart(plan, place.common, head),
    remoteOf(place.common),
  ]);
  if (!status.ok) return null;
  const entries = status.stdout
    .toString()
    .split('\0')
    .filter((entry) => entry !== '');
  const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
  const said = numbers.stdout.toString();
  return {
    branch: head.branch?.replace('refs/heads/', '') ?? null,
    base: plan.base_name,
    ahead,
    behind,
    changed_files: numberBefore(said, / files? changed/) + untracked,
    insertions: numberBefore(said, / insertions?\(\+\)/),
    deletions: numberBefore(said, / deletions?\(-\)/),
    dirty: entries.length > 0,
    last_commit: subject.ok ? subject.stdout.toString().trim() : null,
    ...(remote === undefined ? {} : { remote }),
  };
}

/** Git would look into a submodule by a git of its own, with the configuration that the agent wrote there. */
const WITHOUT_SUBMODULES = '--ignore-submodules=dirty';

/** How many commits it is behind and ahead of what the base is now; when that is gone, of the recorded commit. */
async function apart(
  { base_name, base_commit }: WorktreePlan,
  common: string,
  { commit }: Head,
): Promise<[number, number]> {
  if (commit === undefined) return [0, 0];
  const env = gitDirectoryEnvironment(common);
  const count = (base: string) =>
    git(common, ['rev-list', '--left-right', '--count', `${base}...${commit}`, '--'], { env });
  const now = await count(`refs/heads/${base_name}`);
  const { stdout } = now.ok ? now : await count(base_commit);
  const [behind, ahead] = stdout.trim().split(/\s+/).map(Number);
  return [behind ?? 0, ahead ?? 0];
}

async function remoteOf(common: string): Promise<string | undefined> {
  const env = gitDirectoryEnvironment(common);
  const { ok, stdout } = await git(common, ['config', '--get', 'remote.origin.url'], { env });
  return ok ? remoteAddress(stdout.trim()) : undefined;
}

function numberBefore(text: string, what: RegExp): number {
  return Number(new RegExp(`(\\d+)${what.source}`).exec(text)?.[1] ?? 0);
}
