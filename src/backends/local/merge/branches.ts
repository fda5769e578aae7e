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
  return Promise.all((await grouped(home, agents)).map(groupOf));
}

/** Names where the branches of agents and their bases are: another text when one of them moved. It reads only refs. */
export async function branchHeads(
  home: string,
  agents: readonly { readonly agent: AgentRecord; readonly origin: Origin }[],
): Promise<string> {
  const groups = await grouped(home, agents);
  const lines = await Promise.all(
    groups.map(async ({ fleet, lender, name, agents: own }) => {
      const [base, tips] = [await baseOf(lender, name), await tipsOf(fleet)];
      const heads = own.map(({ workspace_id }) => [workspace_id, tips.get(agentRefs(workspace_id).branch)]);
      return JSON.stringify([lender, name, base, heads]);
    }),
  );
  return lines.join('\n');
}

interface Grouped {
  readonly fleet: string;
  readonly lender: string;
  readonly name: string;
  readonly agents: AgentRecord[];
}

async function grouped(
  home: string,
  agents: readonly { readonly agent: AgentRecord; readonly origin: Origin }[],
): Promise<readonly Grouped[]> {
  const groups = new Map<string, Grouped>();
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
  return [...groups.values()];
}

/** Empty when there is no such branch. */
async function baseOf(lender: string, name: string): Promise<string> {
  const { ok, stdout } = await git(lender, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${name}^{commit}`,
  ]);
  return ok ? stdout.trim() : '';
}

async function groupOf({ fleet, lender, name, agents }: Grouped): Promise<BranchGroup> {
  const base = { name, commit: await baseOf(lender, name) };
  if (base.commit === '')
    return { fleet, lender, base, branches: [], left_out: agents.map((agent) => agent.name) };
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
