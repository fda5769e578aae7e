import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { FleetPlace } from '../../fleet/open-fleet.ts';
import type { Finding } from '../../domain/check.ts';

/** Whether git has a name and an address for the commits of agents, in each repository; without one, here. */
export async function identityFinding(
  { env, cwd }: Pick<FleetPlace, 'env' | 'cwd'>,
  repositories: readonly string[],
): Promise<Finding> {
  const existing = repositories.filter((directory) => existsSync(directory));
  const places = existing.length === 0 ? [cwd] : existing;
  const known = await Promise.all(places.map((directory) => hasIdentity(directory, env)));
  const missing = places.filter((_, index) => known[index] !== true);
  if (missing.length === 0)
    return { state: 'ok', message: 'git has a name and an email address for commits' };
  const where = existing.length === 0 ? '' : ` in ${missing.join(', ')}`;
  return {
    state: 'warn',
    message: `git has no name or no email address for commits${where}: commits of agents can fail`,
    fix: "git config --global user.name 'Your Name' && git config --global user.email you@example.com",
  };
}

/** With `useConfigOnly` git does not make up an identity from the name of the machine. */
async function hasIdentity(directory: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const look = (what: string) =>
    promisify(execFile)('git', ['-C', directory, '-c', 'user.useConfigOnly=true', 'var', what], { env });
  try {
    await Promise.all([look('GIT_AUTHOR_IDENT'), look('GIT_COMMITTER_IDENT')]);
    return true;
  } catch (thrown) {
    // Without git there is nothing to say here: the check of git reports it.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
  }
}
