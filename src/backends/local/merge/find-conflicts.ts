import { pairsInReach, type Conflict } from '../../../domain/merge/conflicts.ts';
import type { MergeResults } from '../../../store/merge-results.ts';
import type { BranchGroup } from './branches.ts';
import { MergeTrees } from './merge-tree.ts';

interface Pair {
  readonly agent: string;
  readonly other: string | null;
  readonly commits: readonly [string, string];
}

/** Merges each branch with the base and with the branches that touch the same files, without a checkout. Pairs of commits
 *  that were merged before are not merged again. */
export async function findConflicts(group: BranchGroup, known: MergeResults): Promise<readonly Conflict[]> {
  const { fleet, base, branches } = group;
  const pairs: readonly Pair[] = [
    ...branches
      .filter(({ behind }) => behind)
      .map(({ name, commit }): Pair => ({ agent: name, other: null, commits: [base.commit, commit] })),
    ...pairsInReach(branches).map(([one, other]): Pair => ({
      agent: one.name,
      other: other.name,
      commits: [one.commit, other.commit],
    })),
  ];
  const open = pairs.filter(({ commits }) => known.get(...commits) === undefined);
  if (open.length > 0) {
    using merges = await MergeTrees.open(fleet, base.commit);
    const merged = await merges.mergeAll(open.map(({ commits }) => commits));
    known.add(
      open.map(({ commits: [one, other] }, index) => {
        const result = merged[index];
        return [one, other, result === undefined || result.clean ? [] : result.paths] as const;
      }),
    );
  }
  return pairs.flatMap(({ agent, other, commits }) => {
    const paths = known.get(...commits) ?? [];
    return paths.length === 0 ? [] : [{ agent, other, paths }];
  });
}
