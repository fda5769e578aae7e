import { publishConflict } from '../../../domain/merge/publish-problem.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { joinSignals } from '../../../platform/join-signals.ts';
import { git, type GitResult } from '../../git/git.ts';
import type { PushLogin, ProjectRemote } from '../../publishing.ts';
import { pushEnvironment, type OwnLogin } from './push-environment.ts';
import { pushProblem, type PushProblem } from './push-problem.ts';

export interface RemoteGitParts {
  readonly lender: string;
  readonly remote: ProjectRemote;
  readonly login: PushLogin | undefined;
  readonly branch: string;
  /** Of a workspace that logs in by itself. */
  readonly own?: OwnLogin;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 300_000;

/** Git in the project's repository, speaking to its remote: with the login of the forge first, then with what the user's git
 *  has. */
export class RemoteGit {
  readonly #parts: RemoteGitParts;

  constructor(parts: RemoteGitParts) {
    this.#parts = parts;
  }

  /** What branches of the remote are at. */
  async tips(branches: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const refs = branches.map((branch) => `refs/heads/${branch}`);
    const { stdout } = await this.#run(['ls-remote', '--quiet', this.#parts.remote.name, ...refs]);
    return new Map(
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [line.split('\t')[1]?.replace('refs/heads/', '') ?? '', line.split('\t')[0] ?? '']),
    );
  }

  /** Sets the branch to a commit if it is still where it was seen; null for a branch that was not there. */
  async push(commit: string, seen: string | null): Promise<void> {
    const { branch, remote } = this.#parts;
    await this.#run([
      'push',
      '--porcelain',
      '--no-verify',
      '--no-recurse-submodules',
      `--force-with-lease=refs/heads/${branch}:${seen ?? ''}`,
      remote.name,
      `${commit}:refs/heads/${branch}`,
    ]);
  }

  /** Brings what a branch of the remote is at into a ref of the repository. */
  async fetch(branch: string, ref: string): Promise<void> {
    await this.#run([
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      this.#parts.remote.name,
      `+refs/heads/${branch}:${ref}`,
    ]);
  }

  /** Uploads files that Git LFS keeps beside the commits: otherwise the remote has only pointers to them. */
  async pushLargeFiles(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { lender, remote, branch } = this.#parts;
    if (!(await git(lender, ['lfs', 'version'], { whole: pushEnvironment(remote.name, undefined) })).ok)
      throw publishConflict(
        'needs_lfs',
        `The branch ${branch} has files of Git LFS, and git-lfs is not installed here. Install it, and publish again: without the files nobody else could use the branch.`,
      );
    await this.#run(['lfs', 'push', '--object-id', remote.name, ...ids]);
  }

  async #run(args: readonly string[]): Promise<GitResult> {
    const { lender, remote, login, own, signal } = this.#parts;
    const timeout = AbortSignal.timeout(LIMIT_MS);
    using joined = joinSignals(signal, timeout);
    let problem: PushProblem | undefined;
    for (const each of login === undefined ? [undefined] : [login, undefined]) {
      const ran = await git(lender, args, {
        whole: pushEnvironment(remote.name, each, own),
        signal: joined.signal,
      });
      if (ran.ok) return ran;
      signal.throwIfAborted();
      if (timeout.aborted) throw unreachable(remote, `it did not answer within ${LIMIT_MS / 60_000} minutes`);
      const failed = pushProblem(ran.stdout, ran.stderr);
      // What the host said to the login of the forge explains more than that the user's git has none.
      problem = problem === undefined || failed.kind !== 'login' ? failed : problem;
      if (failed.kind !== 'login') break;
    }
    throw this.#errorOf(problem ?? { kind: 'unreachable', said: '' });
  }

  #errorOf({ kind, said }: PushProblem): FleetError {
    const { remote, branch, login, own } = this.#parts;
    const place = own === undefined ? "the project's repository" : "the agent's workspace";
    switch (kind) {
      case 'moved':
        return publishConflict(
          'not_fast_forward',
          `The branch ${branch} of ${remote.name} was changed by somebody else at the same moment. Publish again to see what is there now.`,
        );
      case 'protected':
        return publishConflict(
          'protected',
          `${remote.name} does not let this branch be pushed: ${said}. Remove ${branch} from its protected branches, or push with an account that may.`,
        );
      case 'rejected':
        return publishConflict('rejected', `${remote.name} refused the branch ${branch}: ${said}`);
      case 'login':
        return new FleetError(
          'FORBIDDEN',
          `${remote.name} refuses access: ${said}. ${
            login === undefined
              ? `Check that "git push ${remote.name}" works in ${place}, without a question.`
              : 'Renew the token of the forge, give it the right to push, or check the login of your own git; then publish again.'
          } Nothing was changed.`,
          { reason: 'push_not_allowed' },
        );
      case 'unreachable':
        return unreachable(remote, said);
    }
  }
}

function unreachable({ name }: ProjectRemote, said: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The remote ${name} cannot be used: ${said}. Nothing is known to have changed: publish again.`,
    { reason: 'remote_unreachable' },
  );
}
