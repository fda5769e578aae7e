import type { Point } from './find-points.ts';
import { inTurns } from '../in-turns.ts';
import { runCase, type CaseResult } from './run-case.ts';

export interface PointResult extends CaseResult {
  readonly point: Point;
}

/** Runs cases, a few at a time, each on a stage of its own; none is begun after a time. */
export function runPoints(
  points: readonly Point[],
  { jobs, until }: { readonly jobs: number; readonly until: number },
  tell: (result: PointResult) => void,
): Promise<PointResult[]> {
  const results = inTurns(points, jobs, async (point) => {
    if (performance.now() > until) return [];
    const result = { point, ...(await runCase(point)) };
    tell(result);
    return [result];
  });
  return results.then((all) => all.flat());
}

/** Why a case failed, and how to have it alone. */
export function describeFailure({ point, cutAt, problems, trace }: PointResult): string {
  return [
    `${point.id} (${point.scenario.name}, called by ${point.through}; stopped at ${cutAt ?? 'no moment'})`,
    ...problems.map((problem) => `  ${problem}`),
    `  moments: ${trace.slice(-12).join(' | ')}`,
    `  alone: npm run test:faults -- --only '${point.id}'`,
  ].join('\n');
}
