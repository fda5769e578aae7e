import { expect, it } from 'vitest';
import type { Check } from '../domain/check.ts';
import { Doctor } from './doctor.ts';

const GIT: Check = { name: 'git', state: 'ok', message: 'git version 2.43.0' };

it('runs the checks that are provided, once for all that ask at the same time', async () => {
  const doctor = new Doctor();
  expect(() => doctor.check()).toThrow('Run fleet doctor in a terminal');
  const finished: ((checks: readonly Check[]) => void)[] = [];
  doctor.provide(() => new Promise((resolve) => finished.push(resolve)));
  const asked = [doctor.check(), doctor.check()];
  finished[0]?.([GIT]);
  expect(await Promise.all(asked)).toEqual([[GIT], [GIT]]);
  expect(finished).toHaveLength(1);
  const later = doctor.check();
  finished[1]?.([]);
  expect(await later).toEqual([]);
});
