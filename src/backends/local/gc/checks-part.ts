import { filesUnder } from '../../../platform/files-under.ts';
import { amountOf, type GcPart } from '../../gc-part.ts';
import { allTrees, removePrepared } from '../checks/prune-trees.ts';

/** Trees that were prepared for checks and have not been used since a time, in milliseconds. */
export function checksPart(home: string, before: number): GcPart {
  return {
    name: 'check_trees',
    title: 'trees prepared for checks',
    find: () => {
      const all = allTrees(home).map((tree) => ({
        ...tree,
        bytes: amountOf(filesUnder(tree.directory)).bytes,
      }));
      const old = all.filter(({ used_at }) => used_at < before);
      return {
        all: amountOf(all),
        old: amountOf(old),
        remove: () => {
          for (const tree of old) removePrepared(home, tree);
        },
      };
    },
  };
}
