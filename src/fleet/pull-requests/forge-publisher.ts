import type { Forge } from '../../forge/forge.ts';
import type { ForgeMemory } from '../../forge/forge-memory.ts';
import type { ForgePlace } from '../../forge/forge-place.ts';
import type { OpenPullRequest, PublishedBranch } from '../../forge/publish/open-pull-request-of.ts';
import type { PublishedPullRequest, PullRequestRequest } from '../../forge/publish/publish-pull-request.ts';
import { FleetError } from '../../domain/values/errors.ts';

export type { PullRequestRequest };

export interface PushPlace extends ForgePlace {
  /** How git pushes there; undefined for what the user's git has. */
  readonly login:
    | { readonly origin: string; readonly username: string; readonly password: string }
    | undefined;
}

/** Opens and updates pull requests. Failures are errors for the caller. */
export interface ForgePublisher {
  /** The repository of a remote at a forge that has a token. */
  place(remote: string, forges: readonly Forge[]): PushPlace;
  existing(branch: PublishedBranch, signal: AbortSignal): Promise<OpenPullRequest | undefined>;
  publish(request: PullRequestRequest, signal: AbortSignal): Promise<PublishedPullRequest>;
}

/** The libraries that speak to forges are loaded when something is published. */
export async function loadForgePublisher(memory: ForgeMemory): Promise<ForgePublisher> {
  const [
    { ForgeApi },
    { ForgeProblem },
    { forgePlace },
    { pushLogin },
    { openPullRequestOf },
    { publishPullRequest },
  ] = await Promise.all([
    import('../../forge/forge-api.ts'),
    import('../../forge/forge-problem.ts'),
    import('../../forge/forge-place.ts'),
    import('../../forge/publish/push-login.ts'),
    import('../../forge/publish/open-pull-request-of.ts'),
    import('../../forge/publish/publish-pull-request.ts'),
  ]);
  const api = new ForgeApi(memory);
  const asked = async <Answer>(question: Promise<Answer>, signal: AbortSignal): Promise<Answer> => {
    try {
      return await question;
    } catch (thrown) {
      if (!(thrown instanceof ForgeProblem)) throw thrown;
      signal.throwIfAborted();
      throw forgeError(thrown.message, thrown.status);
    }
  };
  return {
    place(remote, forges) {
      const found = forgePlace(remote, forges);
      if (found === undefined) throw noForge(remote);
      if (found.forge.token === null) throw noToken(found.forge);
      return { ...found, login: pushLogin(found.forge, remote) };
    },
    existing: (branch, signal) => asked(openPullRequestOf(api, branch, signal), signal),
    publish: (request, signal) => asked(publishPullRequest(api, request, signal), signal),
  };
}

function forgeError(message: string, status: number | undefined): FleetError {
  if (status === 401 || status === 403 || status === 404)
    return new FleetError(
      'FORBIDDEN',
      `The forge does not allow it: ${message}. Renew the token, or give it the right to write pull requests, and publish again.`,
      { reason: 'forge_not_allowed' },
    );
  if (status !== undefined && status >= 400 && status < 500)
    return new FleetError('CONFLICT', `The forge refused the pull request: ${message}`, {
      reason: 'forge_refused',
    });
  return new FleetError('SERVICE_UNAVAILABLE', `The forge cannot be used: ${message}. Publish again later.`, {
    reason: 'forge_unavailable',
  });
}

function noForge(remote: string): FleetError {
  const { host } = new URL(remote);
  return new FleetError(
    'INVALID_INPUT',
    `The project's remote is at ${host}, which is not among the forges of the configuration. Add it to forges in fleet.yaml, with its type and token_env.`,
    { field: 'agent_name', reason: 'no_forge' },
  );
}

function noToken({ type, url }: Forge): FleetError {
  const { host } = new URL(url);
  const gh = type === 'github' ? `, or log in with: gh auth login --hostname ${host}` : '';
  return new FleetError(
    'INVALID_INPUT',
    `There is no token for ${host}. Set the variable that token_env of this forge names in fleet.yaml${gh}.`,
    { field: 'agent_name', reason: 'no_token' },
  );
}
