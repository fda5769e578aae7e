import { FleetError } from './values/errors.ts';

/** What one task may use. */
export interface BudgetLimits {
  readonly tokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly time_ms?: number;
}

/** Tokens and US dollars that were used. */
export interface BudgetUse {
  readonly tokens: number;
  readonly cost: number;
}

/** What was used over a limit, in words; undefined while nothing was. */
export function excessOf(limits: BudgetLimits, used: BudgetUse): string | undefined {
  if (limits.tokens !== undefined && used.tokens > limits.tokens)
    return `used ${used.tokens} of ${limits.tokens} tokens`;
  if (limits.cost !== undefined && used.cost > limits.cost)
    return `used $${dollars(used.cost)} of $${dollars(limits.cost)}`;
  return undefined;
}

/** Refuses a task unless the budget is higher than what an earlier task used over it. */
export function checkBudget(
  limits: BudgetLimits,
  used: BudgetUse | null,
  { name, role }: { readonly name: string; readonly role: string },
): void {
  const excess = used === null ? undefined : excessOf(limits, used);
  if (excess === undefined) return;
  throw new FleetError(
    'CONFLICT',
    `The agent's last task exceeded its budget: it ${excess}. Raise "budget" of the role "${role}" in fleet.yaml, then run: fleet restart ${name}`,
    { reason: 'budget' },
  );
}

function dollars(amount: number): string {
  return amount.toFixed(amount < 0.01 ? 4 : 2);
}
