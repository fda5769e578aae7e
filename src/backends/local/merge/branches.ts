import type { AgentRecord } from '../../backend.ts';
import { git, gitText } from '../../git/git.ts';
import type { ChangedBranch } from '../../../domain/merge/conflicts.ts';
import type { Origin } from '../records/origin.ts';
import type { ClonePlan } from '../records/workspace-plan.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';

/** The branch of an agent as it was last taken over, against the base that it would land on. */
export interface AgentBranch extends ChangedBranch {
  readonly workspace_id: string;
  readonly created_at: string;
  /** Whether its base has moved since it left it: only then can it be in conflict with it. */
  readonly behind: boolean;
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
  return Promise.all((await agentsByBase(home, agents)).map(groupOf));
}

/** Names where the branches of agents and their bases are: another text when one of them moved. It reads only refs. */
export async function branchHeads(groups: readonly AgentsOfBase[]): Promise<string> {
  const lines = await Promise.all(
    groups.map(async ({ fleet, lender, name, agents: own }) => {
      const [base, tips] = [await baseOf(lender, name), await tipsOf(fleet)];
      const heads = own.map(({ workspace_id }) => [workspace_id, tips.get(agentRefs(workspace_id).branch)]);
      return JSON.stringify([lender, name, base, heads]);
    }),
  );
  return lines.join('\n');
}

/** Agents of one repository that would land on one branch. */
export interface AgentsOfBase {
  readonly fleet: string;
  readonly lender: string;
  readonly name: string;
  readonly agents: readonly AgentRecord[];
}

export async function agentsByBase(
  home: string,
  agents: readonly { readonly agent: AgentRecord; readonly origin: Origin }[],
): Promise<readonly AgentsOfBase[]> {
  const groups = new Map<string, AgentsOfBase & { readonly agents: AgentRecord[] }>();
  // The plan of an agent of an older version lacks this: git is asked once for each repository.
  const older = new Map<string, ClonePlan>();
  for (const { agent, origin } of agents) {
    const { repository } = origin.plan;
    const clone = origin.plan.clone ?? older.get(repository) ?? (await clonePlanOf(origin.plan, agent.name));
    if (origin.plan.clone === undefined) older.set(repository, clone);
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

async function groupOf({ fleet, lender, name, agents }: AgentsOfBase): Promise<BranchGroup> {
  const [commit, tips] = await Promise.all([baseOf(lender, name), tipsOf(fleet)]);
  const base = { name, commit };
  if (base.commit === '')
    return { fleet, lender, base, branches: [], left_out: agents.map((agent) => agent.name) };
  const commits = new Map(
    agents.flatMap(({ workspace_id }) => {
      const commit = tips.get(agentRefs(workspace_id).branch);
      return commit === undefined ? [] : [[workspace_id, commit]];
    }),
  );
  const ahead = await containing(fleet, base.commit);
  const changed = await pathsSince(fleet, base.commit, { commits: new Set(commits.values()), ahead });
  const branches = agents.flatMap(({ name: agent, workspace_id, created_at }): AgentBranch[] => {
    const commit = commits.get(workspace_id) ?? '';
    const paths = changed.get(commit);
    if (paths === undefined) return [];
    return [{ name: agent, workspace_id, created_at, commit, paths, behind: !ahead.has(commit) }];
  });
  const found = new Set(branches.map(({ workspace_id }) => workspace_id));
  const left_out = agents.filter(({ workspace_id }) => !found.has(workspace_id)).map((agent) => agent.name);
  return { fleet, lender, base, branches, left_out };
}

/** The commits of agents' branches that a commit is part of. */
async function containing(fleet: string, commit: string): Promise<ReadonlySet<string>> {
  const args = ['for-each-ref', '--format=%(objectname)', `--contains=${commit}`, 'refs/agents/*/branch'];
  return new Set((await git(fleet, args)).stdout.split('\n'));
}

async function tipsOf(fleet: string): Promise<ReadonlyMap<string, string>> {
  const listed = await gitText(fleet, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/agents']);
  return new Map(listed.split('\n').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
}

/** What each commit changes since it left the base. One without a commit in common with the base is not among them. */
async function pathsSince(
  fleet: string,
  base: string,
  { commits, ahead }: { readonly commits: ReadonlySet<string>; readonly ahead: ReadonlySet<string> },
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const pairs = await eachOf([...commits], 4, async (commit) => {
    if (ahead.has(commit)) return [[commit, base]] as const;
    const { ok, stdout } = await git(fleet, ['merge-base', base, commit]);
    return ok ? ([[commit, stdout.trim()]] as const) : [];
  });
  const input = pairs.flat().map((pair) => `${pair.join(' ')}\n`);
  if (input.length === 0) return new Map();
  // A line of two commits compares the first with the second as if that were its parent.
  const args = ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--always', '--full-index'];
  return readPaths(await gitText(fleet, args, { input: input.join('') }));
}

/** For each commit its id, then for each file a word that begins with a colon, and its name. */
function readPaths(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const words = text.split('\0');
  const found = new Map<string, Set<string>>();
  let paths = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith(':')) paths.add(words[++at] ?? '');
    else if (word !== '') found.set(word, (paths = new Set()));
  }
  return found;
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
