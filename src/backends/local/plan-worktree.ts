import { existsSync, statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { FleetError, quote } from '../../domain/errors.ts';
import { git } from './git.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface PlanRequest {
  readonly repository: string;
  readonly directory: string;
  readonly agent_name: string;
  readonly base: string | undefined;
  readonly branch: string | undefined;
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
  readonly keep: readonly string[];
}

/** Finds everything that is wrong with the request before anything is made. */
export async function planWorktree(request: PlanRequest): Promise<WorktreePlan> {
  const { repository, base, branch, directory, setup, copy, keep } = request;
  const head = await headOf(repository);
  for (const path of copy) checkCopy(path);
  const common = { repository, directory, setup, copy, keep };
  if (branch !== undefined) {
    const tip = await existingBranch(repository, branch);
    const base_commit = base === undefined ? tip : await commitOf(repository, base, 'base');
    return { ...common, base_commit, base_name: base ?? branch, branch, own_branch: false };
  }
  return {
    ...common,
    base_commit: base === undefined ? head.commit : await commitOf(repository, base, 'base'),
    base_name: base ?? head.name,
    branch: `fleet/${request.agent_name}`,
    own_branch: true,
  };
}

/** What is checked out in the repository. One look when all is well; what is wrong is found when it is not. */
async function headOf(repository: string): Promise<{ commit: string; name: string }> {
  if (existsSync(repository)) {
    const look = ['rev-parse', '--is-bare-repository', 'HEAD^{commit}', '--abbrev-ref', 'HEAD'];
    const { ok, stdout } = await git(repository, look);
    const [bare, commit, name] = stdout.trim().split('\n');
    if (ok && bare === 'false' && commit !== undefined && name !== undefined) return { commit, name };
  }
  const problem = (await repositoryProblem(repository)) ?? 'cannot be read by git';
  throw new FleetError('INVALID_INPUT', `The project's repository ${quote(repository)} ${problem}.`, {
    field: 'project',
    reason: 'bad_repository',
  });
}

/** Why a path cannot be a project's repository; undefined when it can. */
export async function repositoryProblem(repository: string): Promise<string | undefined> {
  if (!existsSync(repository)) return 'does not exist';
  if (!statSync(repository).isDirectory()) return 'is not a directory';
  const bare = await git(repository, ['rev-parse', '--is-bare-repository']);
  if (/dubious ownership/.test(bare.stderr))
    return 'belongs to another user (if you trust it: git config --global --add safe.directory PATH)';
  if (!bare.ok) return 'is not a git repository (run `git init` there)';
  if (bare.stdout.trim() === 'true') return 'is a bare repository, and agents need one with a working tree';
  const head = await git(repository, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  return head.ok ? undefined : 'has no commit yet (make a first one)';
}

async function commitOf(repository: string, name: string, field: string): Promise<string> {
  checkRevision(name, field);
  const { ok, stdout } = await git(repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  ]);
  if (ok) return stdout.trim();
  throw new FleetError('INVALID_INPUT', `The repository has no branch, tag or commit ${quote(name)}.`, {
    field,
  });
}

async function existingBranch(repository: string, branch: string): Promise<string> {
  checkRevision(branch, 'branch');
  const { ok, stdout } = await git(repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ]);
  if (!ok) {
    throw new FleetError(
      'INVALID_INPUT',
      `The repository has no branch ${quote(branch)}. Leave it out to get a new one.`,
      {
        field: 'branch',
      },
    );
  }
  const worktrees = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  const holder = worktrees.stdout
    .split('\0\0')
    .find((entry) => entry.split('\0').includes(`branch refs/heads/${branch}`));
  if (holder !== undefined) {
    const place = holder.split('\0')[0]?.replace(/^worktree /, '') ?? '';
    throw new FleetError(
      'CONFLICT',
      `The branch ${quote(branch)} is checked out in another worktree (${place}).`,
      {
        field: 'branch',
        reason: 'branch_in_use',
      },
    );
  }
  return stdout.trim();
}

/** A revision that looks like an option, or has characters that no ref can have. */
function checkRevision(name: string, field: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!name.startsWith('-') && !/[\u0000-\u001f\u007f\s:?*[\\]/.test(name)) return;
  throw new FleetError('INVALID_INPUT', `${quote(name)} is not the name of a branch, tag or commit.`, {
    field,
  });
}

function checkCopy(path: string): void {
  const clean = normalize(path);
  if (
    !isAbsolute(path) &&
    clean !== '.' &&
    !clean.startsWith('..') &&
    clean !== '.git' &&
    !clean.startsWith('.git/')
  )
    return;
  throw new FleetError(
    'INVALID_INPUT',
    `The project copies ${quote(path)}, which is not a path inside its repository.`,
    {
      field: 'project',
    },
  );
}
