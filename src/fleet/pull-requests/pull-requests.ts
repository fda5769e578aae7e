import type { AgentRecord } from '../../backends/backend.ts';
import { pullRequestChange, type Change } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Feedback } from '../../domain/review/ci-feedback.ts';
import type { Forge } from '../../forge/forge.ts';
import type { ForgeMemory } from '../../forge/forge-memory.ts';
import type { KnownPullRequest, PullRequestStore } from '../../store/pull-request-store.ts';
import type { PullRequest } from '../../domain/metadata/pull-request.ts';
import { loadForgePublisher, type ForgePublisher } from './forge-publisher.ts';
import { loadForgeReader, type ForgeReader, type Heard } from './forge-reader.ts';
import { withPullRequest } from './with-pull-request.ts';

export interface PullRequestParts {
  readonly records: PullRequestStore;
  readonly memory: ForgeMemory;
  readonly clock: Clock;
  /** Loaded when it is needed: most looks at a fleet need no configuration. */
  forges(): Promise<readonly Forge[]>;
  tell(agent: AgentRecord, change: Change): void;
}

const FRESH_MS = 5_000;
const LIMIT_MS = 4_500;
const FEEDBACK_LIMIT_MS = 60_000;
/** A little less than the pace of the server's rounds. */
const POLITE_MS = 55_000;
/** A branch of an agent that did nothing for that long gets no pull request soon. */
const QUIET_MS = 600_000;

interface Look {
  readonly forges: readonly Forge[];
  readonly fresh_ms: number;
  readonly signal: AbortSignal;
}

/** The pull requests of agents, as their forges tell them. Nothing here ever fails a look. */
export class PullRequests {
  readonly #parts: PullRequestParts;
  #reader: Promise<ForgeReader> | undefined;
  #publisher: Promise<ForgePublisher> | undefined;

  constructor(parts: PullRequestParts) {
    this.#parts = parts;
  }

  /** Agents with what is known of their pull requests; asks nobody. */
  known<Agent extends AgentRecord>(agents: readonly Agent[]): readonly Agent[] {
    const searches = this.#parts.records.searches();
    if (searches.size === 0 && agents.every(({ pull_request }) => pull_request === null)) return agents;
    const known = this.#parts.records.all();
    return agents.map((agent) => {
      const url = agent.pull_request?.url ?? searches.get(agent.workspace_id)?.url ?? null;
      return url === null ? agent : withPullRequest(agent, url, known.get(url));
    });
  }

  /** Asks the forge of the agent's pull request, or whether its branch has one, unless that was just done. */
  async refresh(agent: AgentRecord, fresh_ms = FRESH_MS): Promise<void> {
    const { records } = this.#parts;
    if (agent.pull_request === null && !isPushable(agent) && records.search(agent.workspace_id) === undefined)
      return;
    try {
      const signal = AbortSignal.timeout(LIMIT_MS);
      const look = { forges: await this.#parts.forges(), fresh_ms, signal };
      const url = agent.pull_request?.url ?? (await this.#find(agent, look));
      if (url !== null) await this.#read(agent, url, look);
    } catch (thrown) {
      // What is known is shown.
      console.error(`fleet: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }

  /** For a server, at its own pace: the hosts side by side, each of them one question after the other. */
  async keep(agents: readonly AgentRecord[], signal: AbortSignal): Promise<void> {
    const { records, clock } = this.#parts;
    const searches = records.searches();
    const urlOf = ({ pull_request, workspace_id }: AgentRecord): string =>
      pull_request?.url ?? searches.get(workspace_id)?.url ?? '';
    records.keepOnly({
      urls: new Set(agents.map(urlOf)),
      workspaces: new Set(agents.map(({ workspace_id }) => workspace_id)),
    });
    const hosts = Map.groupBy(agents, (agent) => hostOf(urlOf(agent) || (agent.git?.remote ?? '')));
    const keepHost = async (group: readonly AgentRecord[]): Promise<void> => {
      for (const agent of group) {
        if (signal.aborted) return;
        const known = records.get(urlOf(agent));
        const quiet = clock.now().at - Date.parse(agent.state.updated_at) > QUIET_MS;
        await this.refresh(agent, quiet && (known === undefined || isSettled(known)) ? QUIET_MS : POLITE_MS);
      }
    };
    await Promise.all([...hosts.values()].map(keepHost));
  }

  /** What was found stays, until its branch has another one. */
  async #find(agent: AgentRecord, { forges, fresh_ms, signal }: Look): Promise<string | null> {
    const { records, clock } = this.#parts;
    const { workspace_id, created_at, git } = agent;
    const before = records.search(workspace_id);
    const url = before?.url ?? null;
    if (!isPushable(agent) || forges.length === 0) return url;
    const { branch, remote } = { branch: git?.branch ?? '', remote: git?.remote ?? '' };
    const same = before?.branch === branch;
    if (same && clock.now().at - before.searched_at < fresh_ms) return url;
    if (same && url !== null && !isSettled(records.get(url))) return url;
    const reader = await this.load();
    const found = (await reader.find({ remote, branch, since: created_at }, forges, signal)) ?? url;
    records.putSearch({ workspace_id, branch, url: found, searched_at: clock.now().at });
    return found;
  }

  async #read(agent: AgentRecord, url: string, { forges, fresh_ms, signal }: Look): Promise<void> {
    const { records, clock } = this.#parts;
    const before = records.get(url);
    if (before !== undefined && clock.now().at - before.fetched_at < fresh_ms) return;
    const heard = await (await this.load()).read(url, forges, signal);
    const fetched_at = clock.now().at;
    const changed = before === undefined || !isSame(before, heard);
    const at = new Date(fetched_at).toISOString();
    records.put({ url, ...heard, fetched_at, changed_at: changed ? at : before.changed_at });
    if (changed && heard.asked)
      this.#parts.tell(agent, pullRequestChange(agent.state, at, { url, ...heard }));
  }

  /** Notes the pull request that was opened or updated for the branch of an agent, and reads how it stands. */
  async note(
    agent: AgentRecord,
    { branch, url }: { readonly branch: string; readonly url: string },
  ): Promise<PullRequest> {
    const { records, clock } = this.#parts;
    const { workspace_id } = agent;
    records.putSearch({ workspace_id, branch, url, searched_at: clock.now().at });
    await this.refresh({ ...agent, pull_request: null }, 0);
    const { status = null, check_status = null, error = null } = records.get(url) ?? {};
    return { url, status, check_status, error };
  }

  /** See `ForgeReader`. */
  async feedback(pull_request: {
    readonly url: string;
    readonly remote: string;
  }): Promise<Feedback | undefined> {
    const reader = await this.load();
    return reader.feedback(pull_request, await this.#parts.forges(), AbortSignal.timeout(FEEDBACK_LIMIT_MS));
  }

  forges(): Promise<readonly Forge[]> {
    return this.#parts.forges();
  }

  publisher(): Promise<ForgePublisher> {
    this.#publisher ??= loadForgePublisher(this.#parts.memory);
    return this.#publisher;
  }

  /** What is otherwise loaded when the first forge is asked. */
  load(): Promise<ForgeReader> {
    this.#reader ??= loadForgeReader(this.#parts.memory);
    return this.#reader;
  }
}

/** True for an agent whose branch may be at a forge. */
function isPushable({ git }: AgentRecord): boolean {
  return git !== null && git.branch !== null && git.remote !== undefined && git.ahead > 0;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}

function isSettled(known: KnownPullRequest | undefined): boolean {
  return known?.status === 'merged' || known?.status === 'closed';
}

function isSame(before: Heard, now: Heard): boolean {
  return (
    before.status === now.status && before.check_status === now.check_status && before.error === now.error
  );
}
