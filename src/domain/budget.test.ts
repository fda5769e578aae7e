import { describe, expect, it } from 'vitest';
import { checkBudget, excessOf } from './budget.ts';

describe('what was used over a budget', () => {
  it.each([
    [{}, { tokens: 1_000_000, cost: 100 }, undefined],
    [{ tokens: 10, cost: 1 }, { tokens: 10, cost: 1 }, undefined],
    [{ tokens: 10, cost: 1 }, { tokens: 11, cost: 2 }, 'used 11 of 10 tokens'],
    [{ cost: 1.5 }, { tokens: 11, cost: 2.25 }, 'used $2.25 of $1.50'],
    [{ cost: 0.001 }, { tokens: 0, cost: 0.01 }, 'used $0.01 of $0.0010'],
  ])('%o, %o: %s', (limits, used, excess) => {
    expect(excessOf(limits, used)).toBe(excess);
  });
});

describe('the next task', () => {
  const agent = { name: 'sony', role: 'coder' };

  it('is refused unless the budget is higher than what the last one used', () => {
    expect(() => checkBudget({ tokens: 10 }, { tokens: 11, cost: 0 }, agent)).toThrow(
      expect.objectContaining({
        code: 'CONFLICT',
        message:
          'The agent\'s last task exceeded its budget: it used 11 of 10 tokens. Raise "budget" of the role "coder" in fleet.yaml, then run: fleet restart sony',
        details: { reason: 'budget' },
      }),
    );
  });

  it('is accepted when the budget was raised, and when nothing was used', () => {
    checkBudget({ tokens: 11 }, { tokens: 11, cost: 0 }, agent);
    checkBudget({ tokens: 0 }, null, agent);
  });
});
