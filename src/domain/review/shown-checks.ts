import { overallState, type Check, type CheckResult, type CheckState } from './checks.ts';

/** One check of an agent as it is shown; nulls for one without a result. */
export interface ShownCheck {
  readonly name: string;
  readonly state: CheckState;
  readonly exit_code: number | null;
  readonly took_ms: number | null;
  readonly output: string | null;
  readonly checked_at: string | null;
}

export interface ShownChecks {
  readonly commit: string | null;
  readonly state: CheckState;
  readonly checks: readonly ShownCheck[];
}

/** The checks of a commit; those without a result are running while `running`. */
export function shownChecks(
  commit: string | null,
  checks: readonly Check[],
  { results, running }: { readonly results: readonly CheckResult[]; readonly running: boolean },
): ShownChecks {
  const shown = checks.map(
    ({ name }): ShownCheck =>
      results.find((result) => result.name === name) ?? {
        name,
        state: running ? 'running' : 'not_run',
        exit_code: null,
        took_ms: null,
        output: null,
        checked_at: null,
      },
  );
  return { commit, state: running ? 'running' : overallState(checks, results), checks: shown };
}
