import { FleetError, quote } from '../../../domain/values/errors.ts';
import { remoteAddress } from '../../../domain/values/remote-address.ts';
import { git } from '../../git/git.ts';
import { userGitEnvironment } from '../../git/git-environment.ts';
import type { ProjectRemote } from '../../publishing.ts';

/** The remote that the base is fetched from; otherwise `origin`, or the only one. */
export async function projectRemote(lender: string, base: string): Promise<ProjectRemote> {
  const names = await list(lender, ['remote']);
  const [upstream = ''] = await list(lender, ['config', '--get', `branch.${base}.remote`]);
  const name = [upstream, 'origin'].find((each) => names.includes(each)) ?? names[0];
  if (name === undefined || (names.length > 1 && ![upstream, 'origin'].includes(name)))
    throw new FleetError(
      'INVALID_INPUT',
      names.length === 0
        ? "The project's repository has no remote to publish to. Add one there: git remote add origin URL"
        : `None of the remotes ${names.join(', ')} is called origin, and the branch ${quote(base)} follows none of them. Choose one: git branch --set-upstream-to=REMOTE/${base} ${base}`,
      { field: 'agent_name', reason: 'no_remote' },
    );
  const [url = ''] = await list(lender, ['remote', 'get-url', '--push', name]);
  return { name, address: remoteAddress(url) };
}

/** By the user's own git: their settings can rewrite addresses. */
async function list(lender: string, args: readonly string[]): Promise<readonly string[]> {
  const { ok, stdout } = await git(lender, args, { whole: userGitEnvironment() });
  return ok ? stdout.split('\n').filter((line) => line !== '') : [];
}
