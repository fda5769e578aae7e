import type { AgentRecord } from '../../backend.ts';
import { git, gitText } from '../../git/git.ts';
import type { ChangedBranch } from '../../../domain/merge/conflicts.ts';
import type { Origin } from '../records/origin.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';

/** The branch of an agent as it was last taken over, against the base that it would land on. */
export interface AgentBranch extends ChangedBranch {
  readonly workspace_id: string;
  readonly created_at: string;
}

/** The agents of one repository that would land on one branch. */
export interface BranchGroup {
  readonly fleet: string;
  readonly lender: string;
  readonly base: { readonly name: string; readonly commit: string };
  readonly branches: readonly AgentBranch[];
  /** Agents without commits that can be merged: nothing taken over yet, no base, or no commit in common. */
  readonly left_out: readonly string[];
}

/** Groups agents by repository and base, with what each of them changes. */
export async function branchGroups(
  home: string,
  agents: readonly { readonly agent: AgentRecord; readonly origin: Origin }[],
): Promise<readonly BranchGroup[]> {
  const groups = new Map<string, { fleet: string; lender: string; name: string; agents: AgentRecord[] }>();
  for (const { agent, origin } of agents) {
    const clone = await clonePlanOf(origin.plan, agent.name);
    const key = `${clone.lender}\0${origin.plan.base_name}`;
    const group = groups.get(key) ?? {
      fleet: fleetRepository(home, clone),
      lender: clone.lender,
      name: origin.plan.base_name,
      agents: [],
    };
    group.agents.push(agent);
    groups.set(key, group);
  }
  return Promise.all([...groups.values()].map(groupOf));
}

async function groupOf(group: { fleet: string; lender: string; name: string; agents: AgentRecord[] }) {
  const { fleet, lender, name, agents } = group;
  const { ok, stdout } = await git(lender, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${name}^{commit}`,
  ]);
  const base = { name, commit: stdout.trim() };
  if (!ok) return { fleet, lender, base, branches: [], left_out: agents.map((agent) => agent.name) };
  const tips = await tipsOf(fleet);
  const branches = await eachOf(agents, 4, async (agent) => branchOf(fleet, base.commit, { agent, tips }));
  return {
    fleet,
    lender,
    base,
    branches: branches.filter((branch) => branch !== undefined),
    left_out: agents.filter((_, index) => branches[index] === undefined).map((agent) => agent.name),
  };
}

async function tipsOf(fleet: string): Promise<ReadonlyMap<string, string>> {
  const listed = await gitText(fleet, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/agents']);
  return new Map(listed.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
}

async function branchOf(
  fleet: string,
  base: string,
  { agent, tips }: { agent: AgentRecord; tips: ReadonlyMap<string, string> },
): Promise<AgentBranch | undefined> {
  const commit = tips.get(agentRefs(agent.workspace_id).branch);
  if (commit === undefined) return undefined;
  const args = [
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--name-only',
    '-z',
    `${base}...${commit}`,
  ];
  const { ok, stdout } = await git(fleet, args);
  if (!ok) return undefined;
  const paths = new Set(stdout.split('\0').filter((path) => path !== ''));
  return { name: agent.name, workspace_id: agent.workspace_id, created_at: agent.created_at, commit, paths };
}

/** Does something for each of many, a few at a time. */
async function eachOf<One, Result>(
  all: readonly One[],
  atOnce: number,
  work: (one: One) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    results.push(...(await Promise.all(all.slice(at, at + atOnce).map(work))));
  return results;
}
