import type { Check } from '../../../domain/review/checks.ts';

/** How the work of a project's agents is checked. */
export interface CheckPlan {
  readonly checks: readonly Check[];
  readonly setup: readonly string[] | null;
  readonly copy: readonly string[];
}

export const NO_CHECKS: CheckPlan = { checks: [], setup: null, copy: [] };
