import type { AgentRecord } from '../backends/backend.ts';
import type { Clock } from '../domain/clock.ts';
import { PULL_REQUEST_CHECK_KEY, PULL_REQUEST_STATUS_KEY } from '../domain/metadata.ts';
import type { PullRequest } from '../domain/pull-request.ts';
import type { Forge } from '../forge/forge.ts';
import type { KnownPullRequest, PullRequestBook } from '../store/pull-request-book.ts';

export interface PullRequestParts {
  readonly book: PullRequestBook;
  readonly clock: Clock;
  /** Loaded when it is needed: most looks at a fleet need no configuration. */
  forges(): Promise<readonly Forge[]>;
}

const FRESH_MS = 5_000;
const LIMIT_MS = 4_500;
const POLITE_MS = 60_000;

/** The pull requests of agents, as their forges tell them. Nothing here ever fails a look. */
export class PullRequests {
  readonly #parts: PullRequestParts;
  #reader: Promise<Reader> | undefined;

  constructor(parts: PullRequestParts) {
    this.#parts = parts;
  }

  /** Agents with what is known of their pull requests; asks nobody. */
  known<Agent extends AgentRecord>(agents: readonly Agent[]): readonly Agent[] {
    if (agents.every(({ pull_request }) => pull_request === null)) return agents;
    const known = this.#parts.book.all();
    return agents.map((agent) => withKnown(agent, known.get(agent.pull_request?.url ?? '')));
  }

  /** Asks the forge of one pull request, unless that was just done. */
  async refresh({ pull_request }: AgentRecord, fresh_ms = FRESH_MS): Promise<void> {
    if (pull_request === null) return;
    const { book, clock } = this.#parts;
    const { url } = pull_request;
    const known = book.get(url);
    if (known !== undefined && clock.now().at - known.fetched_at < fresh_ms) return;
    try {
      this.#reader ??= loadReader();
      const read = await this.#reader;
      const answer = await read(url, await this.#parts.forges(), AbortSignal.timeout(LIMIT_MS));
      book.put({ url, ...answer, fetched_at: clock.now().at });
    } catch (thrown) {
      // What is known is shown.
      console.error(`fleet: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  /** For a server, at its own pace: asks of those that can still change, one after the other. */
  async keep(agents: readonly AgentRecord[], signal: AbortSignal): Promise<void> {
    const named = agents.filter(({ pull_request }) => pull_request !== null);
    this.#parts.book.keepOnly(new Set(named.map(({ pull_request }) => pull_request?.url ?? '')));
    const known = this.#parts.book.all();
    for (const agent of named) {
      if (signal.aborted) return;
      const status = known.get(agent.pull_request?.url ?? '')?.status;
      if (status !== 'merged' && status !== 'closed') await this.refresh(agent, POLITE_MS);
    }
  }
}

type Reader = (
  url: string,
  forges: readonly Forge[],
  signal: AbortSignal,
) => Promise<Omit<KnownPullRequest, 'url' | 'fetched_at'>>;

/** The library that speaks to forges is loaded when the first pull request is looked at. */
async function loadReader(): Promise<Reader> {
  const [{ ForgeApi, ForgeProblem }, { pullRequestTarget }, { readPullRequest }] = await Promise.all([
    import('../forge/forge-api.ts'),
    import('../forge/pull-request-target.ts'),
    import('../forge/read-pull-request.ts'),
  ]);
  const api = new ForgeApi();
  return async (url, forges, signal) => {
    const nothing = { status: null, check_status: null };
    const target = pullRequestTarget(url, forges);
    if (typeof target === 'string') return { ...nothing, error: target, asked: false };
    try {
      return { ...(await readPullRequest(api, target, signal)), error: null, asked: true };
    } catch (thrown) {
      if (!(thrown instanceof ForgeProblem)) throw thrown;
      return { ...nothing, error: thrown.message, asked: true };
    }
  };
}

/** What a forge said wins over what was set by hand. */
function withKnown<Agent extends AgentRecord>(agent: Agent, known: KnownPullRequest | undefined): Agent {
  if (known === undefined || agent.pull_request === null) return agent;
  const { url, status, check_status, error } = known;
  const pull_request: PullRequest = known.asked
    ? { url, status, check_status, error }
    : { ...agent.pull_request, error };
  const metadata: unknown = 'metadata' in agent ? agent.metadata : undefined;
  if (!known.asked || typeof metadata !== 'object') return { ...agent, pull_request };
  const {
    [PULL_REQUEST_STATUS_KEY]: _s,
    [PULL_REQUEST_CHECK_KEY]: _c,
    ...rest
  } = { ...metadata } as Record<string, string>;
  return {
    ...agent,
    pull_request,
    metadata: {
      ...rest,
      ...(status === null ? {} : { [PULL_REQUEST_STATUS_KEY]: status }),
      ...(check_status === null ? {} : { [PULL_REQUEST_CHECK_KEY]: check_status }),
    },
  };
}
