import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../../../config/config-source.ts';
import { checkedAsync, failedCheck, type Check } from '../../../domain/check.ts';
import { repositoryProblem } from '../workspace/plan-workspace.ts';
import { leftoverChecks } from './leftover-checks.ts';
import { movedChecks } from './moved-checks.ts';
import { storageChecks } from './storage-checks.ts';

/** Checks the projects of this machine and the files of its agents. */
export async function localChecks(home: string, loaded: LoadedConfig | undefined): Promise<readonly Check[]> {
  const projects = Object.entries(loaded?.config.projects ?? {}).filter(
    ([, { backend }]) => backend === 'local',
  );
  const repositories = [...new Set(projects.map(([, { repository }]) => repository))];
  return [
    ...(await Promise.all(
      projects.map(([name, { repository }]) => projectCheck(name, repository, loaded?.path)),
    )),
    ...(await homeChecks(home, repositories)),
  ];
}

function projectCheck(project: string, repository: string, file: string | null | undefined): Promise<Check> {
  return checkedAsync(`project ${project}`, async () => {
    const problem = await repositoryProblem(repository);
    if (problem === undefined) return { state: 'ok', message: repository };
    return {
      state: 'fail',
      message: `${repository} ${problem}`,
      fix: `correct the repository of the project in ${file}`,
    };
  });
}

/** The files in the home. Problems of the home itself are reported by another check. */
async function homeChecks(home: string, repositories: readonly string[]): Promise<readonly Check[]> {
  if (!existsSync(home)) return [];
  try {
    return [...storageChecks(home), ...movedChecks(home), ...(await leftoverChecks(home, repositories))];
  } catch (thrown) {
    return [failedCheck('state', thrown)];
  }
}
