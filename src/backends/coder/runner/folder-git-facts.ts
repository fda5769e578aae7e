import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceGit } from '../../../domain/agent.ts';
import { remoteAddress } from '../../../domain/values/remote-address.ts';
import { gitNumbers, GIT_SHORTSTAT, GIT_STATUS } from '../../git/git-numbers.ts';
import { git } from '../../git/git.ts';

/** Where the work in the folder of a workspace stands; null when it is not a repository. The runner is the agent's own there:
 *  nothing that it reads can do more than the agent. */
export async function folderGitFacts(directory: string, wanted: string | null): Promise<WorkspaceGit | null> {
  if (!existsSync(join(directory, '.git'))) return null;
  const ask = async (...args: string[]): Promise<string | undefined> => {
    const { ok, stdout } = await git(directory, args);
    return ok ? stdout.trim() : undefined;
  };
  const status = await ask(...GIT_STATUS);
  if (status === undefined) return null;
  const base = wanted ?? (await ask('rev-parse', '--abbrev-ref', 'origin/HEAD')) ?? null;
  // Updates come from the remote: a local branch of that name stays behind.
  const remotes = `refs/remotes/origin/${base?.replace(/^(remotes\/)?origin\//, '') ?? ''}`;
  const from = (await ask('rev-parse', '--verify', '--quiet', `${remotes}^{commit}`)) ?? base;
  const [branch, subject, remote, counted, common] = await Promise.all([
    ask('branch', '--show-current'),
    ask('log', '-1', '--format=%h %s'),
    ask('config', '--get', 'remote.origin.url'),
    from === null ? undefined : ask('rev-list', '--left-right', '--count', `${from}...HEAD`, '--'),
    from === null ? undefined : ask('merge-base', from, 'HEAD'),
  ]);
  const said = (await ask(...GIT_SHORTSTAT, common ?? 'HEAD')) ?? '';
  const [behind = 0, ahead = 0] = (counted ?? '0 0').split(/\s+/).map(Number);
  const address = remote === undefined ? undefined : remoteAddress(remote);
  return {
    branch: branch === '' || branch === undefined ? null : branch,
    base,
    ahead,
    behind,
    ...gitNumbers(status, said),
    last_commit: subject ?? null,
    ...(address === undefined ? {} : { remote: address }),
  };
}
