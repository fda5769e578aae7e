import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstFailing, forecastSentence, type Forecast } from './forecast.ts';

describe('the first failing step', () => {
  it('is found in as many runs as halving needs, whichever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 15 }), fc.nat(15), async (steps, first) => {
        fc.pre(first <= steps);
        let runs = 0;
        const found = await firstFailing(steps, 4, async (step) => {
          runs++;
          return step >= first;
        });
        expect(found).toBe(first);
        expect(runs).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('is unknown when the runs are not enough', async () => {
    expect(await firstFailing(100, 2, async (step) => step >= 70)).toBeUndefined();
  });
});

describe('the sentence of a forecast', () => {
  const forecast: Forecast = {
    project: 'Setup',
    state: 'done',
    order: ['ada', 'kay', 'milo'],
    merged: ['ada', 'milo'],
    conflicts: [{ agent: 'kay', with: ['ada'], paths: ['src/app.ts'] }],
    checks: [{ name: 'tests', state: 'failing', broken_by: 'milo' }],
    left_out: [],
    as_of: '2026-01-01T00:00:00.000Z',
  };

  it('says who merges, who conflicts, and who breaks a check', () => {
    expect(forecastSentence(forecast)).toBe(
      '2 agents merge; kay conflicts with ada in src/app.ts; with milo the check tests fails.',
    );
  });

  it('says that all is well', () => {
    expect(
      forecastSentence({
        ...forecast,
        merged: ['ada'],
        conflicts: [],
        checks: [{ name: 'tests', state: 'passing', broken_by: null }],
      }),
    ).toBe('1 agent merges, and the checks pass.');
  });
});
