import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FleetConfig } from '../../../config/config-schema.ts';
import { git } from '../../git/git.ts';
import { listKept, type KeptBranch } from './kept-branches.ts';

export interface KeptInProject extends KeptBranch {
  /** Several can share a repository. */
  readonly projects: readonly string[];
}

export interface KeptEverywhere {
  readonly kept: readonly KeptInProject[];
  /** The projects whose repositories were looked at. */
  readonly projects: readonly string[];
  /** Repositories that could not be looked at. */
  readonly problems: readonly string[];
}

/** The kept branches of all projects of this machine, newest first. */
export async function keptEverywhere({ projects }: Pick<FleetConfig, 'projects'>): Promise<KeptEverywhere> {
  const local = Object.entries(projects).filter(([, { backend }]) => backend === 'local');
  const repositories = new Map<string, { readonly repository: string; readonly names: string[] }>();
  const problems: string[] = [];
  for (const [name, { repository }] of local) {
    const shared = await commonDirectory(repository);
    if (shared === undefined) problems.push(`${repository} of the project ${name} is not a git repository`);
    else
      repositories.set(shared, {
        repository,
        names: [...(repositories.get(shared)?.names ?? []), name],
      });
  }
  const found = await Promise.all(
    [...repositories.values()].map(async ({ repository, names }) =>
      (await listKept(repository)).map((each) => ({ ...each, projects: names })),
    ),
  );
  return {
    kept: found.flat().toSorted((a, b) => b.kept_at.localeCompare(a.kept_at)),
    projects: [...repositories.values()].flatMap(({ names }) => names),
    problems,
  };
}

/** What the worktrees of one repository have in common, branches among it. */
async function commonDirectory(repository: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, ['rev-parse', '--git-common-dir']);
  return ok ? realpathSync(resolve(repository, stdout.trim())) : undefined;
}
