import type { AgentDetails, AgentRecord } from '../../backends/backend.ts';
import {
  PULL_REQUEST_CHECK_KEY,
  PULL_REQUEST_STATUS_KEY,
  PULL_REQUEST_URL_KEY,
} from '../../domain/metadata/metadata.ts';
import type { PullRequest } from '../../domain/metadata/pull-request.ts';
import type { KnownPullRequest } from '../../store/pull-request-store.ts';

/** An agent with what a forge said of its pull request, which wins over what was set by hand. */
export function withPullRequest<Agent extends AgentRecord | AgentDetails>(
  agent: Agent,
  url: string,
  known: KnownPullRequest | undefined,
): Agent {
  const byHand = agent.pull_request ?? { url, status: null, check_status: null, error: null };
  const pull_request: PullRequest =
    known === undefined
      ? byHand
      : known.asked
        ? { url, status: known.status, check_status: known.check_status, error: known.error }
        : { ...byHand, error: known.error };
  return {
    ...agent,
    pull_request,
    ...(known === undefined ? {} : { heard_at: known.changed_at }),
    ...('metadata' in agent ? { metadata: keysOf(agent.metadata, pull_request, known?.asked === true) } : {}),
  };
}

function keysOf(
  metadata: AgentDetails['metadata'],
  { url, status, check_status }: PullRequest,
  asked: boolean,
) {
  if (!asked) return { ...metadata, [PULL_REQUEST_URL_KEY]: url };
  const { [PULL_REQUEST_STATUS_KEY]: _s, [PULL_REQUEST_CHECK_KEY]: _c, ...rest } = metadata;
  return {
    ...rest,
    [PULL_REQUEST_URL_KEY]: url,
    ...(status === null ? {} : { [PULL_REQUEST_STATUS_KEY]: status }),
    ...(check_status === null ? {} : { [PULL_REQUEST_CHECK_KEY]: check_status }),
  };
}
