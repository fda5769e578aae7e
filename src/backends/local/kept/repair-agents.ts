import { existsSync } from 'node:fs';
import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { AgentRow } from '../records/agent-rows.ts';
import { agentRepository } from '../workspace/agent-work-of.ts';
import { withOwnedJournal, hasLiveRunner } from '../records/with-owned-journal.ts';
import type { Repaired } from '../../backend-upkeep.ts';
import { git } from '../../git/git.ts';
import { restartLocalAgent } from '../runner/lifecycle.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { reasonOf } from '../repository/agent-work.ts';
import { alternatesText } from '../lender/git-directory.ts';
import { moveFleetRepository } from '../repository/move-fleet-repository.ts';
import { pin, PINS } from '../lender/pin.ts';
import { Reader } from '../reading/reader.ts';
import { refAt } from '../repository/take-over.ts';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';

export interface RepairParts {
  readonly by: Actor;
  /** Where the repository of a project is now. */
  repositoryOf(project: string): string | undefined;
}

/** Repairs the agents whose project's repository was moved, when the configuration says where it is now. */
export async function repairLocalAgents(
  context: LocalContext,
  parts: RepairParts,
): Promise<readonly Repaired[]> {
  const results: Repaired[] = [];
  for (const row of context.rows.all()) {
    const origin = context.rows.origin(row.workspace_id);
    if (origin?.plan.clone === undefined || row.tombstone !== null || existsSync(origin.plan.clone.lender))
      continue;
    try {
      await repair(context, row, { origin, parts });
      results.push({ agent_name: row.name });
    } catch (thrown) {
      results.push({ agent_name: row.name, problem: reasonOf(thrown) });
    }
  }
  return results;
}

interface Repair {
  readonly origin: Origin;
  readonly parts: RepairParts;
}

async function repair(context: LocalContext, row: AgentRow, { origin, parts }: Repair): Promise<void> {
  const { launch, plan } = origin;
  const { clone } = plan;
  const repository = parts.repositoryOf(launch.project);
  if (clone === undefined || repository === undefined)
    throw new Error(`the configuration has no project "${launch.project}" on this machine`);
  if (hasLiveRunner(context, row.workspace_id) && row.summary?.state.running != null)
    throw new Error('it is busy; repair it again when its task has ended');
  const to = await movedTo(plan, clone, { repository, launch });
  const moved: Origin = { ...origin, plan: { ...plan, repository, clone: to } };
  await moveFleetRepository(context.home, clone, to);
  if (!clone.shallow) await setAlternates(context, moved, clone.lender);
  const paths = agentPaths(context.home, row.workspace_id);
  const work = await agentRepository({ home: context.home, paths, plan: moved.plan, launch });
  await work.takeOver(await work.look());
  if (hasLiveRunner(context, row.workspace_id))
    return restartLocalAgent(context, row, { by: parts.by, origin: moved });
  const done = await withOwnedJournal(context, row, (journal) => {
    journal.setLaunch(moved.launch, moved);
    context.rows.setOrigin(row.workspace_id, moved);
  });
  if (done === undefined) throw new FleetError('CONFLICT', 'it was started at this moment; try again');
}

/** The clone's plan with the repository where it is now. It must have what the agent borrows. */
async function movedTo(
  plan: WorkspacePlan,
  clone: ClonePlan,
  { repository, launch }: { readonly repository: string; readonly launch: Origin['launch'] },
): Promise<ClonePlan> {
  const { clone: _, ...bare } = plan;
  const { lender, git_directory } = await clonePlanOf({ ...bare, repository }, launch.name);
  const commits = [clone.start_commit, plan.base_commit] as const;
  for (const commit of commits) {
    if ((await git(lender, ['cat-file', '-e', `${commit}^{commit}`])).ok) continue;
    throw new Error(
      `${repository} is another repository: it does not have the commit ${commit.slice(0, 12)}`,
    );
  }
  if ((await refAt(lender, `${PINS}/${launch.workspace_id}`)) === null)
    await pin(lender, { workspace_id: launch.workspace_id, published_as: clone.published_as, commits });
  return { ...clone, lender, git_directory };
}

/** In the sandbox: whatever the agent has put in the place of a directory, nothing else can be written to. */
const SET_ALTERNATES = `
set -e
cd .git/objects
[ -d info ] || mkdir info
rm -rf info/alternates.new
{ printf '%s' "$2"; [ ! -f info/alternates ] || [ -h info/alternates ] || grep -vxF -e "$1" info/alternates || :; } > info/alternates.new
[ -f info/alternates ] || rm -rf info/alternates
mv -f info/alternates.new info/alternates
`;
const LIMIT_MS = 10_000;

async function setAlternates(
  { home }: LocalContext,
  { plan, launch }: Origin,
  before: string,
): Promise<void> {
  const { clone } = plan;
  if (clone === undefined) return;
  const reader = new Reader({
    home,
    paths: agentPaths(home, launch.workspace_id),
    plan,
    workspace_id: launch.workspace_id,
    lenders: [],
    contained: launch.contained !== false,
    repairs: true,
  });
  const line = (lender: string): string => alternatesText([`${lender}/objects`]);
  const { ok, stderr } = await reader.read({
    script: SET_ALTERNATES,
    args: [line(before).trimEnd(), line(clone.lender)],
    limit_ms: LIMIT_MS,
  });
  if (!ok) throw new Error(`its repository cannot be pointed at ${clone.lender}: ${stderr}`);
}
