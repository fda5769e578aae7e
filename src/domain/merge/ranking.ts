/** What an agent of a race has come to. */
export interface Contender {
  readonly agent_name: string;
  readonly checks: 'passing' | 'failing' | 'running' | 'not_run' | null;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Run time of all its tasks. */
  readonly took_ms: number;
  readonly cost: number | null;
}

const BY_CHECKS = { passing: 0, running: 1, not_run: 2, failing: 3 } as const;

/** The best first: by checks, then the smaller change, the shorter time and the lower cost. No change at all is last. */
export function ranked(contenders: readonly Contender[]): readonly Contender[] {
  return contenders.toSorted(
    (one, other) =>
      Number(isEmpty(one)) - Number(isEmpty(other)) ||
      BY_CHECKS[one.checks ?? 'not_run'] - BY_CHECKS[other.checks ?? 'not_run'] ||
      sizeOf(one) - sizeOf(other) ||
      one.took_ms - other.took_ms ||
      (one.cost ?? 0) - (other.cost ?? 0),
  );
}

function isEmpty({ files }: Contender): boolean {
  return files === 0;
}

function sizeOf({ insertions, deletions }: Contender): number {
  return insertions + deletions;
}
