import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { git } from '../../git/git.ts';
import type { WorkspacePlan } from '../../local/records/workspace-plan.ts';
import { lenderOf } from '../../local/workspace/plan-workspace.ts';
import type { FolderOptions } from './folder-workspace.ts';

/** Where the work in a folder began, and what it is compared with. */
type Start = Pick<WorkspacePlan, 'base_name' | 'base_commit' | 'branch'> & {
  /** Null for a base that is not a branch. */
  readonly base_ref: string | null;
  readonly start_commit: string;
};

/** The repository in the folder of a workspace, as the code that follows the repositories of agents takes it: the agent's
 *  own is also the one that objects are borrowed from. Undefined without a repository. */
export async function folderPlan(options: FolderOptions): Promise<WorkspacePlan | undefined> {
  const { directory, agent_name, setup, copy } = options;
  if (!hasRepository(directory)) return undefined;
  const { common: lender, git_directory, format, shallow } = await lenderOf(directory);
  const { base_ref, base_name, base_commit, branch, start_commit } = await startOf(options);
  return {
    repository: directory,
    directory,
    base_name,
    base_commit,
    branch,
    setup,
    copy,
    ...(base_ref === null ? {} : { base_ref }),
    clone: {
      lender,
      git_directory,
      format,
      shallow,
      start_commit,
      started_from: null,
      // Not a branch and not that of a remote: the agent's own git does not show it.
      published_as: `refs/fleet/agents/${agent_name}`,
    },
  };
}

export function hasRepository(directory: string): boolean {
  return existsSync(join(directory, '.git'));
}

export function branchOf({ branch, agent_name }: Pick<FolderOptions, 'branch' | 'agent_name'>): string {
  return branch ?? `fleet/${agent_name}`;
}

/** Notes where the work begins. A workspace of an older version, and a repository that was made since, begin where they
 *  left their base. */
export async function noteStart(options: FolderOptions, isNew: boolean): Promise<Start> {
  const { directory, base } = options;
  const { base_ref, base_name } = await baseOf(directory, base);
  const head = await commitOf(directory, 'HEAD');
  if (head === undefined) throw new Error(`the repository in ${directory} has no commit yet`);
  const at = (await commitOf(directory, base_ref ?? base_name)) ?? head;
  const { ok, stdout } = await git(directory, ['merge-base', at, head]);
  const base_commit = ok ? (stdout.split('\n')[0] ?? head) : head;
  const start: Start = {
    base_ref,
    base_name,
    base_commit,
    branch: branchOf(options),
    start_commit: isNew ? head : base_commit,
  };
  writeFileAtomic(noteOf(options), JSON.stringify(start));
  return start;
}

export function hasStart(options: FolderOptions): boolean {
  return existsSync(noteOf(options));
}

async function startOf(options: FolderOptions): Promise<Start> {
  if (!hasStart(options)) return noteStart(options, false);
  const start = JSON.parse(readFileSync(noteOf(options), 'utf8')) as Start;
  // Another repository may be there since.
  const [from, base] = await Promise.all(
    [start.start_commit, start.base_commit].map((commit) => commitOf(options.directory, commit)),
  );
  return from === undefined || base === undefined ? noteStart(options, false) : start;
}

function noteOf({ state }: FolderOptions): string {
  return join(state, 'work-start.json');
}

/** The base as the remote has it, where there is one: newer commits arrive there. */
async function baseOf(
  directory: string,
  wanted: string | null,
): Promise<Pick<Start, 'base_ref' | 'base_name'>> {
  const named = wanted ?? (await text(directory, ['rev-parse', '--abbrev-ref', 'origin/HEAD']));
  const name = named ?? (await text(directory, ['branch', '--show-current'])) ?? 'HEAD';
  const short = name.replace(/^(remotes\/)?origin\//, '');
  for (const [base_ref, base_name] of [
    [`refs/remotes/origin/${short}`, `origin/${short}`],
    [`refs/heads/${name}`, name],
  ] as const)
    if ((await commitOf(directory, base_ref)) !== undefined) return { base_ref, base_name };
  return { base_ref: null, base_name: name };
}

async function commitOf(directory: string, revision: string): Promise<string | undefined> {
  return text(directory, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
}

async function text(directory: string, args: readonly string[]): Promise<string | undefined> {
  const { ok, stdout } = await git(directory, args);
  const said = stdout.trim();
  return ok && said !== '' ? said : undefined;
}
