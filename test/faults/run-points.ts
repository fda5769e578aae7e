import type { Point } from './find-points.ts';
import { inTurns } from './in-turns.ts';
import { runCase, type CaseResult } from './run-case.ts';

export interface PointResult extends CaseResult {
  readonly point: Point;
}

/** Runs cases, a few at a time, each on a stage of its own. */
export function runPoints(
  points: readonly Point[],
  jobs: number,
  tell: (result: PointResult) => void,
): Promise<PointResult[]> {
  return inTurns(points, jobs, async (point) => {
    const result = { point, ...(await runCase(point)) };
    tell(result);
    return result;
  });
}

/** Why a case failed, and how to have it alone. */
export function describeFailure({ point, cutAt, problems, trace }: PointResult): string {
  return [
    `${point.id} (${point.scenario.name}, called by ${point.door}; stopped at ${cutAt ?? 'no moment'})`,
    ...problems.map((problem) => `  ${problem}`),
    `  moments: ${trace.slice(-12).join(' | ')}`,
    `  alone: npm run test:faults -- --only '${point.id}'`,
  ].join('\n');
}
