import { firstFailing, type Forecast, type ForecastCheck } from '../../../domain/merge/forecast.ts';
import type { Check, CheckResult } from '../../../domain/review/checks.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { ForecastStore } from '../../../store/forecast-store.ts';
import { runChecks } from '../checks/run-checks.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { ClonePlan, WorkspacePlan } from '../records/workspace-plan.ts';

/** What the process that runs the checks of a forecast needs. */
export interface ForecastJob {
  readonly project: string;
  readonly plan: WorkspacePlan;
  readonly clone: ClonePlan;
  readonly checks: { readonly all: readonly Check[]; readonly env: Readonly<Record<string, string>> };
  /** The base, then the commit after each agent that merged. */
  readonly commits: readonly string[];
}

const MOST_BISECTION_RUNS = 4;

/** Runs the checks on the tree of all branches together. For the first one that fails, it finds the agent whose work
 *  breaks it. */
export async function runForecastChecks(
  context: LocalContext,
  project: string,
  signal: AbortSignal,
): Promise<void> {
  const store = new ForecastStore(context.store);
  const stored = store.get(project);
  if (stored === undefined || stored.job === null || stored.forecast.state === 'done') return;
  store.put(project, { ...stored, process: identify(process.pid) ?? null });
  const job = stored.job as ForecastJob;
  const checks = await forecastChecks(context, { job, forecast: stored.forecast, signal });
  // A newer forecast may have taken its place.
  if (store.get(project)?.key !== stored.key) return;
  const forecast: Forecast = { ...stored.forecast, state: 'done', checks };
  store.put(project, { ...stored, forecast, process: null, job: null });
}

async function forecastChecks(
  context: LocalContext,
  { job, forecast, signal }: { job: ForecastJob; forecast: Forecast; signal: AbortSignal },
): Promise<readonly ForecastCheck[]> {
  const run = (revision: string, checks: readonly Check[]): Promise<readonly CheckResult[]> =>
    runChecks({
      home: context.home,
      store: context.store,
      project: job.project,
      plan: job.plan,
      clone: job.clone,
      env: job.checks.env,
      revision,
      checks,
      signal,
      progress: () => {},
    });
  const results = await run(job.commits.at(-1) ?? '', job.checks.all);
  const broken = results.find(({ state }) => state === 'failing');
  const check = job.checks.all.find(({ name }) => name === broken?.name);
  const step =
    check === undefined
      ? undefined
      : await firstFailing(job.commits.length - 1, MOST_BISECTION_RUNS, async (at) => {
          const [result] = await run(job.commits[at] ?? '', [check]);
          return result?.state === 'failing';
        });
  const breaker = step === undefined || step === 0 ? null : (forecast.merged[step - 1] ?? null);
  return results.map(({ name, state }) => ({
    name,
    state,
    broken_by: name === broken?.name ? breaker : null,
  }));
}
