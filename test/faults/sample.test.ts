import { beforeAll, describe, expect, it } from 'vitest';
import { pointOf } from './cuts/find-points.ts';
import { giveCutToRunners } from './cuts/give-cut.ts';
import counts from './points.json' with { type: 'json' };
import { Random } from './random.ts';
import { describeFailure, runPoints } from './cuts/run-points.ts';

const SEED = Number(process.env['FAULTS_SEED'] ?? 1);
const SIZE = 15;

beforeAll(giveCutToRunners);

describe.skipIf(process.platform !== 'linux')('processes that are stopped hard', () => {
  it(`at ${SIZE} of the moments of all operations, chosen by the seed ${SEED}, break nothing (Linux only: it looks into /proc)`, async () => {
    const results = await runPoints(sample().map(pointOf), { jobs: 3, until: Infinity }, () => {});
    const failed = results.filter(({ problems }) => problems.length > 0);
    expect(failed.map(describeFailure)).toEqual([]);
    expect(results.filter(({ cutAt }) => cutAt !== undefined).length).toBeGreaterThan(SIZE / 2);
  }, 240_000);
});

/** Each moment is as likely as any other. */
function sample(): string[] {
  const ids = Object.entries<number>(counts).flatMap(([id, count]) =>
    Array.from({ length: count }, (_, index) => `${id}/${index + 1}`),
  );
  return new Random(SEED).shuffled(ids).slice(0, SIZE);
}
