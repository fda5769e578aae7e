import type { Branch } from '../../forge/find-pull-request.ts';
import type { Forge } from '../../forge/forge.ts';
import type { ForgeMemory } from '../../forge/forge-memory.ts';
import type { Feedback } from '../../domain/review/ci-feedback.ts';
import type { KnownPullRequest } from '../../store/pull-request-store.ts';

export type Heard = Pick<KnownPullRequest, 'status' | 'check_status' | 'error' | 'asked'>;

/** Asks the forges that may be asked; what they do not say is an answer too. */
export interface ForgeReader {
  read(url: string, forges: readonly Forge[], signal: AbortSignal): Promise<Heard>;
  /** The address of the pull request of a branch. */
  find(branch: Branch, forges: readonly Forge[], signal: AbortSignal): Promise<string | undefined>;
  /** What failed, and what reviewers wrote; undefined when the forge does not say, and for a pull request of another
   *  repository than that of the remote: agents can name any, and are given what is read. */
  feedback(
    pull_request: { readonly url: string; readonly remote: string },
    forges: readonly Forge[],
    signal: AbortSignal,
  ): Promise<Feedback | undefined>;
}

/** The libraries that speak to forges are loaded when the first pull request is looked at. */
export async function loadForgeReader(memory: ForgeMemory): Promise<ForgeReader> {
  const [
    { ForgeApi },
    { ForgeProblem },
    { pullRequestTarget },
    { readPullRequest },
    { findPullRequest },
    { forgePlace },
    { readFeedback },
  ] = await Promise.all([
    import('../../forge/forge-api.ts'),
    import('../../forge/forge-problem.ts'),
    import('../../forge/pull-request-target.ts'),
    import('../../forge/read-pull-request.ts'),
    import('../../forge/find-pull-request.ts'),
    import('../../forge/forge-place.ts'),
    import('../../forge/feedback/read-feedback.ts'),
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
    async feedback({ url, remote }, forges, signal) {
      const target = pullRequestTarget(url, forges);
      const own = forgePlace(remote, forges);
      if (typeof target === 'string' || own?.forge.url !== target.forge.url) return undefined;
      if (own.repository.toLowerCase() !== target.repository.toLowerCase()) return undefined;
      try {
        return await readFeedback(api, target, signal);
      } catch (thrown) {
        if (!(thrown instanceof ForgeProblem)) throw thrown;
        return undefined;
      }
    },
  };
}
