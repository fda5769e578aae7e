import type { Branch } from '../../forge/find-pull-request.ts';
import type { Forge } from '../../forge/forge.ts';
import type { ForgeMemory } from '../../forge/forge-memory.ts';
import type { KnownPullRequest } from '../../store/pull-request-store.ts';

export type Heard = Pick<KnownPullRequest, 'status' | 'check_status' | 'error' | 'asked'>;

/** Asks the forges that may be asked; what they do not say is an answer too. */
export interface ForgeReader {
  read(url: string, forges: readonly Forge[], signal: AbortSignal): Promise<Heard>;
  /** The address of the pull request of a branch. */
  find(branch: Branch, forges: readonly Forge[], signal: AbortSignal): Promise<string | undefined>;
}

/** The libraries that speak to forges are loaded when the first pull request is looked at. */
export async function loadForgeReader(memory: ForgeMemory): Promise<ForgeReader> {
  const [{ ForgeApi }, { ForgeProblem }, { pullRequestTarget }, { readPullRequest }, { findPullRequest }] =
    await Promise.all([
      import('../../forge/forge-api.ts'),
      import('../../forge/forge-problem.ts'),
      import('../../forge/pull-request-target.ts'),
      import('../../forge/read-pull-request.ts'),
      import('../../forge/find-pull-request.ts'),
    ]);
  const api = new ForgeApi(memory);
  return {
    async read(url, forges, signal) {
      const nothing = { status: null, check_status: null };
      const target = pullRequestTarget(url, forges);
      if (typeof target === 'string') return { ...nothing, error: target, asked: false };
      try {
        return { ...(await readPullRequest(api, target, signal)), error: null, asked: true };
      } catch (thrown) {
        if (!(thrown instanceof ForgeProblem)) throw thrown;
        return { ...nothing, error: thrown.message, asked: true };
      }
    },
    async find(branch, forges, signal) {
      try {
        return await findPullRequest({ api, forges }, branch, signal);
      } catch (thrown) {
        if (!(thrown instanceof ForgeProblem)) throw thrown;
        return undefined;
      }
    },
  };
}
