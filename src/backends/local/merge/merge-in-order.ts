import type { ForecastConflict } from '../../../domain/merge/forecast.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { treeOf } from '../../git/commits.ts';
import type { AgentBranch, BranchGroup } from './branches.ts';
import { MergeTrees, type Merged } from './merge-tree.ts';

export interface MergedInOrder {
  readonly order: readonly string[];
  readonly merged: readonly string[];
  /** The base, then the commit after each agent that merged. */
  readonly commits: readonly string[];
  readonly conflicts: readonly ForecastConflict[];
  /** Agents with nothing that the base does not have. */
  readonly nothing: readonly string[];
}

/** Merges branches one after the other, oldest agent first; those that conflict are tried again at the end. Nothing of the
 *  project changes. */
export async function mergeInOrder({ fleet, base, branches }: BranchGroup): Promise<MergedInOrder> {
  using merges = await MergeTrees.open(fleet, base.commit);
  const commits = [base.commit];
  const merged: AgentBranch[] = [];
  const nothing: AgentBranch[] = [];
  const baseTree = await treeOf(fleet, base.commit);
  const add = async (branch: AgentBranch): Promise<Merged> => {
    const onto = commits.at(-1) ?? base.commit;
    const result = await merges.merge(onto, branch.commit);
    if (result.clean && (await hasNothing(branch, result.tree))) nothing.push(branch);
    else if (result.clean) {
      merged.push(branch);
      const parents = [onto, branch.commit];
      commits.push(
        await commitTree(fleet, { tree: result.tree, parents, message: `Forecast with ${branch.name}` }),
      );
    }
    return result;
  };
  /** What a squash or a rebase has landed changes nothing either, though it is no part of the base. */
  const hasNothing = async (branch: AgentBranch, tree: string): Promise<boolean> => {
    if (branch.paths.size === 0) return true;
    if (tree !== (await treeOf(fleet, commits.at(-1) ?? base.commit))) return false;
    const alone = await merges.merge(base.commit, branch.commit);
    return alone.clean && alone.tree === baseTree;
  };
  const byAge = branches.toSorted((one, other) => one.created_at.localeCompare(other.created_at));
  const later: AgentBranch[] = [];
  for (const branch of byAge) if (!(await add(branch)).clean) later.push(branch);
  const conflicts: ForecastConflict[] = [];
  for (const branch of later) {
    const before = [...merged];
    const result = await add(branch);
    if (!result.clean) conflicts.push(conflictOf(branch, result.paths, before));
  }
  const names = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name);
  return {
    order: [
      ...names(byAge.filter((each) => !later.includes(each) && !nothing.includes(each))),
      ...names(later.filter((each) => !nothing.includes(each))),
    ],
    nothing: names(nothing),
    merged: names(merged),
    commits,
    conflicts,
  };
}

function conflictOf(
  { name }: AgentBranch,
  paths: readonly string[],
  before: readonly AgentBranch[],
): ForecastConflict {
  const others = before.filter((each) => paths.some((path) => each.paths.has(path)));
  return { agent: name, with: others.map((each) => each.name), paths };
}
