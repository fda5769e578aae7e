import type { KeptAgent } from '../../../domain/kept-agent.ts';
import type { Kept } from '../../backend.ts';
import { archiveBytes, isWorkspaceId, readArchives } from './archives.ts';
import { keptBefore } from './keep-work.ts';
import type { KeptEverywhere, KeptInProject } from './kept-repositories.ts';

export interface KeptParts {
  readonly home: string;
  readonly branches: KeptEverywhere;
  /** True for an agent that is there: it may have come back. */
  isAgent(workspaceId: string): boolean;
}

/** What is kept of deleted agents, newest first: archives with a workspace, and branches whose archive is gone. */
export async function listKeptAgents({ home, branches, isAgent }: KeptParts): Promise<Kept> {
  const { archives, problems } = readArchives(home);
  const byId = mainBranches(
    branches.kept.filter(({ workspace_id }) => isWorkspaceId(workspace_id) && !isAgent(workspace_id)),
  );
  const kept: KeptAgent[] = [];
  for (const { workspace_id, path, origin, deleted_at, has_workspace } of archives) {
    if (!has_workspace || origin === null) continue;
    const found = byId.get(workspace_id)?.branch;
    byId.delete(workspace_id);
    kept.push({
      workspace_id,
      agent_name: origin.launch.name,
      project: origin.launch.project,
      deleted_at,
      // A repository that no project names any more is not looked at.
      branch: found ?? (isLookedAt(origin.launch.project, branches) ? null : (keptBefore(path)[0] ?? null)),
      bytes: await archiveBytes(path),
    });
  }
  const rest = [...byId.values()].map(onlyBranch);
  return {
    kept: [...kept, ...rest].toSorted((a, b) => b.deleted_at.localeCompare(a.deleted_at)),
    problems: [...problems, ...branches.problems],
  };
}

function isLookedAt(project: string, { projects }: KeptEverywhere): boolean {
  return projects.includes(project);
}

/** Older versions kept the index and the stashes on further branches. */
function mainBranches(kept: readonly KeptInProject[]): Map<string, KeptInProject> {
  const found = new Map<string, KeptInProject>();
  for (const each of kept.toSorted((a, b) => a.part.localeCompare(b.part))) {
    if (!found.has(each.workspace_id)) found.set(each.workspace_id, each);
  }
  return found;
}

function onlyBranch({ workspace_id, agent_name, projects, kept_at, branch }: KeptInProject): KeptAgent {
  return {
    workspace_id,
    agent_name,
    project: projects[0] ?? null,
    deleted_at: kept_at,
    branch,
    bytes: null,
  };
}
