/** A branch that may be merged, with the files that it changes. */
export interface ChangedBranch {
  readonly name: string;
  readonly commit: string;
  readonly paths: ReadonlySet<string>;
}

export interface Conflict {
  readonly agent: string;
  /** Null for the base of the project. */
  readonly other: string | null;
  readonly paths: readonly string[];
}

/** The pairs of branches that can be in conflict: those that change the same file, or of which one has a directory where
 *  the other has a file. */
export function pairsInReach<Branch extends ChangedBranch>(
  branches: readonly Branch[],
): readonly (readonly [Branch, Branch])[] {
  const parents = new Map(branches.map((branch) => [branch, directoriesOf(branch.paths)]));
  const meet = (one: Branch, other: Branch): boolean =>
    [...one.paths].some((path) => other.paths.has(path) || parents.get(other)?.has(path) === true) ||
    [...other.paths].some((path) => parents.get(one)?.has(path) === true);
  return branches.flatMap((one, index) =>
    branches.slice(index + 1).flatMap((other) => (meet(one, other) ? [[one, other] as const] : [])),
  );
}

function directoriesOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      found.add(path.slice(0, at));
  }
  return found;
}
