import { expect, it } from 'vitest';
import { FieldBudget } from './field-budget.ts';

it('leaves out what is beyond 1 MiB of all fields together, and says so [MD-size-limits]', () => {
  const budget = new FieldBudget();
  const results = Array.from({ length: 300 }, (_, index) =>
    budget.take(`field-${index}`, { value: 'v'.repeat(4096), error: null }),
  );
  expect(results[0]).toEqual({ value: 'v'.repeat(4096), error: null });
  const left = results.findIndex(({ value }) => value === null);
  expect(left).toBeGreaterThan(240);
  expect(left).toBeLessThanOrEqual(256);
  expect(results.slice(left).every(({ error }) => error?.includes('1048576') === true)).toBe(true);
});
