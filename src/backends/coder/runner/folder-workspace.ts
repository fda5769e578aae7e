import { mkdirSync } from 'node:fs';
import type { Workspace } from '../../../runner/workspace.ts';
import { git, gitText } from '../../git/git.ts';
import { hasUnfinishedUpdate } from '../../local/update/interrupted-update.ts';
import { agentPaths } from '../../local/records/paths.ts';
import { folderGitFacts } from './folder-git-facts.ts';
import { branchOf, hasRepository, hasStart, noteStart } from './folder-plan.ts';
import type { FolderWork } from './folder-work.ts';

export interface FolderOptions {
  readonly directory: string;
  /** Where the runner keeps what outlives a stop. */
  readonly state: string;
  readonly agent_name: string;
  readonly workspace_id: string;
  readonly branch: string | null;
  readonly base: string | null;
  /** What prepares a checkout for checks; the workspace itself is prepared by its template. */
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
}

/** The directory of a Coder workspace; where the template has put a repository there, with a branch of the agent's own.
 *  `work` is loaded when it is first needed. */
export function folderWorkspace(options: FolderOptions, work: () => Promise<FolderWork>): Workspace {
  const { directory } = options;
  return {
    directory,
    setsUp: () => false,
    prepare: async (log) => {
      mkdirSync(directory, { recursive: true });
      if (!hasRepository(directory)) return { branch: null, base: null };
      const branch = branchOf(options);
      const base = await gitText(directory, ['rev-parse', options.base ?? 'HEAD']);
      const now = await gitText(directory, ['branch', '--show-current']);
      const isNew = now.trim() !== branch;
      if (isNew) {
        if (options.branch !== null) await bringBranch(directory, branch);
        const make = options.branch === null ? ['-c', branch, base.trim()] : [branch];
        await gitText(directory, ['switch', '--quiet', ...make]);
        log('INFO', `on branch ${branch} from ${base.trim().slice(0, 12)}`);
      }
      if (!hasStart(options)) await noteStart(options, isNew);
      return { branch, base: base.trim() };
    },
    git: () => folderGitFacts(directory, options.base).catch(() => null),
    checkpoint: async (task_id) => (hasRepository(directory) ? (await work()).checkpoint(task_id) : null),
    diff: async (request) => (await work()).diff(request),
    checkpoints: async () => (await work()).checkpoints(),
    update: async (strategy, told) => (await work()).update(strategy, told),
    finishUpdate: async (told) => {
      const noted = hasUnfinishedUpdate(agentPaths(options.state, options.workspace_id));
      if (noted && hasRepository(directory)) await (await work()).finishUpdate(told);
    },
  };
}

/** A clone of one branch, or one that is older than the branch, does not have it, and git would not find it by its name.
 *  What is wrong with it is seen when git switches to it. */
async function bringBranch(directory: string, branch: string): Promise<void> {
  const refs = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  for (const ref of refs) if ((await git(directory, ['rev-parse', '--verify', '--quiet', ref])).ok) return;
  const remote = `refs/remotes/origin/${branch}`;
  await git(directory, ['fetch', '--quiet', 'origin', `+refs/heads/${branch}:${remote}`], {
    whole: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
  });
  await git(directory, ['branch', '--no-track', branch, remote]);
}
