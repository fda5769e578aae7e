import { FleetError, quote } from '../../../domain/values/errors.ts';
import { remoteAddress } from '../../../domain/values/remote-address.ts';
import { git } from '../../git/git.ts';
import { userGitEnvironment } from '../../git/git-environment.ts';
import { PINS, unpin } from './pin.ts';

/** Where forges show a pull request, and where its head can be fetched. */
const FORMS: readonly (readonly [page: RegExp, ref: (number: string) => string])[] = [
  [/^(.*)\/-\/merge_requests\/(\d+)(?:\/.*)?$/, (number) => `refs/merge-requests/${number}/head`],
  [/^(.*)\/pulls?\/(\d+)(?:\/.*)?$/, (number) => `refs/pull/${number}/head`],
];

const FETCH_LIMIT_MS = 60_000;

/** Brings the commits of a pull request into the repository, and returns its head. Undefined for one of another
 *  repository: nobody knows where its commits are. */
export async function pullRequestHead(
  repository: string,
  url: string,
  workspaceId: string,
): Promise<string | undefined> {
  const page = new URL(url);
  const [form] = FORMS.flatMap(([pattern, ref]) => {
    const [, path, number] = pattern.exec(page.pathname) ?? [];
    return path === undefined || number === undefined
      ? []
      : [{ place: `${page.host}${path}`, ref: ref(number) }];
  });
  const remote = form === undefined ? undefined : await remoteAt(repository, form.place);
  if (form === undefined || remote === undefined) return undefined;
  const pinned = `${PINS}/${workspaceId}`;
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--refmap=',
    remote,
  ];
  const signal = AbortSignal.timeout(FETCH_LIMIT_MS);
  const fetched = await git(repository, [...args, `+${form.ref}:${pinned}`], {
    whole: userGitEnvironment(),
    signal,
  }).catch((thrown: unknown) => ({ ok: false, stderr: thrown instanceof Error ? thrown.message : '' }));
  if (!fetched.ok) {
    const said = fetched.stderr.trim().split('\n').at(-1) ?? '';
    throw new FleetError(
      'INVALID_INPUT',
      `The head of the pull request ${quote(url)} could not be fetched from the remote ${quote(remote)}: ${said}`,
      { field: 'pull_request_url' },
    );
  }
  const { stdout } = await git(repository, ['rev-parse', '--verify', `${pinned}^{commit}`]);
  // The agent's repository pins it again when it is made: a request that is refused until then leaves nothing.
  await unpin(repository, workspaceId);
  return stdout.trim();
}

/** The remote of the repository that is at a host and path; `origin` before others. */
async function remoteAt(repository: string, place: string): Promise<string | undefined> {
  const { stdout } = await git(repository, ['config', '--get-regexp', '-z', '^remote\\..*\\.url$']);
  const names = stdout.split('\0').flatMap((entry) => {
    const [key = '', value = ''] = entry.split('\n');
    const address = remoteAddress(value)?.replace(/^\w+:\/\//, '');
    return address === place ? [key.slice('remote.'.length, -'.url'.length)] : [];
  });
  return names.includes('origin') ? 'origin' : names[0];
}
