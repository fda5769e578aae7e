import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { adaptersDirectory } from '../../agents/adapter-of.ts';
import { isWithin, type Cell } from '../../platform/cell.ts';
import { PROCESS_LIMIT } from '../../platform/process-group.ts';
import { runtimeDirectory } from '../../platform/socket-path.ts';
import { git } from './git.ts';
import type { AgentPaths } from './paths.ts';
import type { WorktreePlan } from './worktree-plan.ts';

/** Hides the fleet's home from an agent, but for its own worktree, the socket by which it speaks of itself, the
 *  installed adapters, and the git directory that its worktree belongs to, wherever that is. */
export async function agentCell({
  home,
  paths,
  plan,
}: {
  readonly home: string;
  readonly paths: AgentPaths;
  readonly plan: WorktreePlan;
}): Promise<Cell> {
  const hidden = dirname(paths.selfSocket) === runtimeDirectory() ? [runtimeDirectory(), home] : [home];
  const masks = hidden.map((path, index) => ({ path, stage: join(paths.stage, String(index)) }));
  for (const { stage } of masks) mkdirSync(stage, { recursive: true, mode: 0o700 });
  return {
    masks,
    shown: [
      { path: plan.directory, writable: true },
      { path: paths.selfSocket, writable: true },
      { path: paths.teamSocket, writable: true },
      { path: paths.bin, writable: false },
      { path: adaptersDirectory(home), writable: false },
      ...(await hiddenGitDirectory(home, plan)).map((path) => ({ path, writable: true })),
    ],
    processes: PROCESS_LIMIT,
    group: null,
  };
}

/** A repository may lie in the fleet's home, as that of the demo does. */
async function hiddenGitDirectory(home: string, { repository }: WorktreePlan): Promise<readonly string[]> {
  if (!existsSync(repository) || !isWithin(realpathSync(home), realpathSync(repository))) return [];
  const { ok, stdout } = await git(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return ok ? [stdout.replace(/\n$/, '')] : [];
}
