import { existsSync, statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { git } from '../../git/git.ts';
import { pullRequestHead } from '../lender/pull-request-head.ts';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';

export interface PlanRequest {
  readonly repository: string;
  readonly directory: string;
  readonly agent_name: string;
  readonly workspace_id: string;
  readonly base: string | undefined;
  readonly branch: string | undefined;
  /** A commit of the repository that the work goes on from, and what it is called. */
  readonly start?: ExistingBranch | undefined;
  /** Whose head the work goes on from, when no branch is given. */
  readonly pull_request_url: string | undefined;
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
  /** The remote that agents' branches seem to be of, in the project's repository. */
  readonly remote_name: string;
}

/** Finds everything that is wrong with the request before anything is made. */
export async function planWorkspace(request: PlanRequest): Promise<WorkspacePlan> {
  const { repository, base, branch, directory, setup, copy, agent_name } = request;
  for (const path of copy) checkCopy(path);
  const lender = await lenderOf(repository);
  const [based] = await Promise.all([
    base === undefined ? undefined : commitOf(repository, base, 'base'),
    checkRemoteName(repository, request.remote_name),
  ]);
  const start = await startOf(request);
  const base_commit = based ?? (branch === undefined ? undefined : start?.commit) ?? lender.commit;
  return {
    repository,
    directory,
    setup,
    copy,
    base_commit,
    base_name: base ?? branch ?? lender.name,
    branch: `fleet/${agent_name}`,
    clone: {
      lender: lender.common,
      git_directory: lender.git_directory,
      format: lender.format,
      shallow: lender.shallow,
      start_commit: start?.commit ?? base_commit,
      started_from: start?.name ?? null,
      published_as: `refs/remotes/${request.remote_name}/${agent_name}`,
    },
  };
}

/** An existing branch or pull request that the work goes on from. */
async function startOf(request: PlanRequest): Promise<ExistingBranch | undefined> {
  const { repository, branch, pull_request_url: name, workspace_id, start } = request;
  if (start !== undefined) return start;
  if (branch !== undefined) return existingBranch(repository, branch);
  if (name === undefined) return undefined;
  const commit = await pullRequestHead(repository, name, workspace_id);
  return commit === undefined ? undefined : { commit, name };
}

interface Lender extends Pick<ClonePlan, 'format' | 'shallow' | 'git_directory'> {
  readonly common: string;
  readonly commit: string;
  readonly name: string;
}

const LOOK = [
  'rev-parse',
  '--path-format=absolute',
  '--is-bare-repository',
  '--git-common-dir',
  '--absolute-git-dir',
  '--show-object-format',
  '--is-shallow-repository',
  'HEAD^{commit}',
  // Of a short name, git would say how it differs from a tag.
  '--symbolic-full-name',
  'HEAD',
];

/** What is checked out in the repository. One look when all is well; what is wrong is found when it is not. */
export async function lenderOf(repository: string): Promise<Lender> {
  if (existsSync(repository)) {
    const { ok, stdout } = await git(repository, LOOK);
    const [bare, common, git_directory, format, shallow, commit, name] = stdout.trim().split('\n');
    if (ok && bare === 'false' && common && git_directory && commit && name)
      return {
        common,
        git_directory,
        format: format === 'sha256' ? 'sha256' : 'sha1',
        shallow: shallow === 'true',
        commit,
        name: name.replace(/^refs\/heads\//, ''),
      };
  }
  const problem = (await repositoryProblem(repository)) ?? 'cannot be read by git';
  throw new FleetError('INVALID_INPUT', `The project's repository ${quote(repository)} ${problem}.`, {
    field: 'project',
    reason: 'bad_repository',
  });
}

/** An agent of an older version whose worktree was not made gets a repository of its own; so does, while it is deleted,
 *  one that works in a worktree. */
export async function clonePlanOf(plan: WorkspacePlan, agent_name: string): Promise<ClonePlan> {
  if (plan.clone !== undefined) return plan.clone;
  const { common, git_directory, format, shallow } = await lenderOf(plan.repository);
  return {
    lender: common,
    git_directory,
    format,
    shallow,
    start_commit: plan.base_commit,
    started_from: plan.own_branch === false ? plan.branch : null,
    published_as: `refs/remotes/fleet/${agent_name}`,
  };
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

/** Fetching from a real remote of that name would remove the agents' branches, and so does one that mirrors all refs. */
async function checkRemoteName(repository: string, name: string): Promise<void> {
  const { stdout } = await git(repository, ['config', '--get-regexp', '-z', '^remote\\..*\\.(url|fetch)$']);
  const settings = stdout.split('\0').map((entry) => entry.split('\n'));
  const taken = settings.find(
    ([key, value = '']) =>
      key === `remote.${name}.url` ||
      (key?.endsWith('.fetch') === true &&
        [`:refs/remotes/${name}/`, ':refs/remotes/*', ':refs/*'].some((target) => value.includes(target))),
  );
  if (taken === undefined) return;
  const [key = '', value = ''] = taken;
  const mirrors = [':refs/remotes/*', ':refs/*'].some((target) => value.includes(target));
  const fix = mirrors
    ? 'Change that refspec: no ref would be out of its reach.'
    : 'Set `remote_name` of the project to another name.';
  throw new FleetError(
    'INVALID_INPUT',
    `The repository ${quote(repository)} has ${quote(`${key} = ${value}`)}, by which git would remove the branches of ` +
      `agents (refs/remotes/${name}/…). ${fix}`,
    { field: 'project', reason: mirrors ? 'mirrors_remote' : 'remote_name_taken' },
  );
}

async function commitOf(repository: string, name: string, field: string): Promise<string> {
  checkRevision(name, field);
  // A branch is meant also where a tag has its name.
  for (const each of [`refs/heads/${name}`, name]) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${each}^{commit}`];
    const { ok, stdout } = await git(repository, args);
    if (ok) return stdout.trim();
  }
  throw new FleetError('INVALID_INPUT', `The repository has no branch, tag or commit ${quote(name)}.`, {
    field,
  });
}

interface ExistingBranch {
  readonly name: string;
  readonly commit: string;
}

/** A branch of the repository, or one that a remote of it has: `origin` before others. */
async function existingBranch(repository: string, branch: string): Promise<ExistingBranch> {
  checkRevision(branch, 'branch');
  const { stdout } = await git(repository, [
    'for-each-ref',
    '--format=%(objectname) %(objecttype) %(refname)',
    `refs/heads/${branch}`,
    `refs/remotes/${branch}`,
    `refs/remotes/*/${branch}`,
  ]);
  const wanted = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`, `refs/remotes/${branch}`];
  const found = stdout
    .split('\n')
    .map((line) => line.split(' '))
    .filter(
      ([, type, name]) => type === 'commit' && (wanted.includes(name ?? '') || isOfRemote(name, branch)),
    )
    .toSorted(([, , one = ''], [, , other = '']) => rank(wanted, one) - rank(wanted, other));
  const [commit, , name] = found[0] ?? [];
  if (commit !== undefined && name !== undefined) return { commit, name };
  throw new FleetError(
    'INVALID_INPUT',
    `Neither the repository nor one of its remotes has a branch ${quote(branch)}. If it is new on a remote, fetch it first.`,
    { field: 'branch' },
  );
}

function isOfRemote(name: string | undefined, branch: string): boolean {
  return name?.replace(/^refs\/remotes\/[^/]+\//, '') === branch;
}

function rank(wanted: readonly string[], name: string): number {
  const index = wanted.indexOf(name);
  return index === -1 ? wanted.length : index;
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
