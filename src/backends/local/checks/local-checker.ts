import type { Launch } from '../../../domain/launch.ts';
import { checksMarker, type Checker } from '../../../runner/checks/checker.ts';
import type { Store } from '../../../store/store.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import { refAt } from '../repository/take-over.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import type { CheckPlace } from './check-place.ts';
import { cachedResults, runChecks } from './run-checks.ts';

export interface CheckerParts {
  readonly home: string;
  readonly store: Store;
  readonly plan: WorkspacePlan;
  readonly launch: Pick<Launch, 'name' | 'workspace_id' | 'project' | 'checks' | 'hide'>;
  /** See `CheckPlace`. */
  readonly contained?: boolean;
}

/** The checks of an agent on this machine. */
export function localChecker(parts: CheckerParts): Checker {
  const { home, plan, launch } = parts;
  return {
    commit: async () => {
      const clone = await clonePlanOf(plan, launch.name);
      const { branch } = agentRefs(launch.workspace_id);
      return (await refAt(fleetRepository(home, clone), branch)) ?? clone.start_commit;
    },
    run: async ({ commit, ...run }) => {
      const marker = checksMarker(launch.workspace_id);
      await runChecks({ ...(await placeOf(parts)), ...run, revision: commit, marker });
    },
    known: async (commit, checks) => cachedResults(await placeOf(parts), commit, checks),
  };
}

async function placeOf({ home, store, plan, launch, contained }: CheckerParts): Promise<CheckPlace> {
  return {
    home,
    store,
    project: launch.project,
    plan,
    clone: await clonePlanOf(plan, launch.name),
    env: launch.checks?.env ?? {},
    ...(contained === undefined ? {} : { contained }),
    ...(launch.hide === undefined ? {} : { hide: launch.hide }),
  };
}
