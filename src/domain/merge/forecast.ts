import { listedPaths } from './landing.ts';
/** Whether the branches of a project's agents will merge, and whether the checks pass on the result. */
export interface Forecast {
  readonly project: string;
  readonly state: 'running' | 'done';
  /** The agents in the order in which they were merged. */
  readonly order: readonly string[];
  readonly merged: readonly string[];
  readonly conflicts: readonly ForecastConflict[];
  readonly checks: readonly ForecastCheck[];
  readonly left_out: readonly string[];
  readonly as_of: string;
}

export interface ForecastConflict {
  readonly agent: string;
  /** The agents that were merged before it and change the same files; empty for a conflict with the base. */
  readonly with: readonly string[];
  readonly paths: readonly string[];
}

export interface ForecastCheck {
  readonly name: string;
  readonly state: 'passing' | 'failing' | 'not_run';
  /** The agent whose work makes the check fail; null when it passes, when it fails on the base already, or when that was
   *  not found. */
  readonly broken_by: string | null;
}

/** The same for the same commits and the same checks, whatever else has changed. */
export function forecastKey(
  base: string | null,
  branches: readonly { readonly name: string; readonly commit: string }[],
  checks: readonly unknown[],
): string {
  const tips = branches.map(({ name, commit }) => `${name} ${commit}`).toSorted();
  return JSON.stringify([base, tips, checks]);
}

/** Finds the first of several steps at which something fails, knowing that it fails after the last one. Step 0 is before
 *  all of them. Runs `fails` at most `limit` times; undefined when that is not enough. */
export async function firstFailing(
  steps: number,
  limit: number,
  fails: (step: number) => Promise<boolean>,
): Promise<number | undefined> {
  let [good, bad, runs] = [-1, steps, 0];
  while (bad - good > 1) {
    if (runs++ === limit) return undefined;
    const middle = Math.floor((good + bad) / 2);
    if (await fails(middle)) bad = middle;
    else good = middle;
  }
  return bad;
}

/** One sentence for a person. */
export function forecastSentence(forecast: Forecast): string {
  const { merged, conflicts, checks, state } = forecast;
  const count = merged.length === 1 ? '1 agent merges' : `${merged.length} agents merge`;
  const failing = checks.filter((check) => check.state === 'failing');
  const passing = checks.some((check) => check.state !== 'not_run') && failing.length === 0;
  const parts = [
    `${count}${passing ? ', and the checks pass' : ''}`,
    ...conflicts.map(
      ({ agent, with: others, paths }) =>
        `${agent} conflicts with ${others.length === 0 ? 'the base' : others.join(' and ')} in ${listedPaths(paths.slice(0, 3))}`,
    ),
    ...failing.map(({ name, broken_by }) =>
      broken_by === null ? `the check ${name} fails` : `with ${broken_by} the check ${name} fails`,
    ),
  ];
  return `${parts.join('; ')}${state === 'running' ? '; the checks are running' : ''}.`;
}
