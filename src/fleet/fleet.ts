import type { Clock } from '../domain/clock.ts';
import type { Project, Role } from '../domain/project.ts';
import type { EventSource } from './context/event-source.ts';
import type { FleetContext, Waiting } from './context/fleet-context.ts';
import { Lookup, type Sources } from './context/lookup.ts';
import type { FeedbackRecords } from './context/feedback-records.ts';
import type { ReviewDrafts } from './context/review-drafts.ts';
import { BrowserSessions } from './access/browser-sessions.ts';
import type { TokenStore } from './access/token-store.ts';
import { Tokens } from './access/tokens.ts';
import type { SessionStore } from './access/session-store.ts';
import { Doctor } from './doctor.ts';
import type { Ledger } from './ledger.ts';
import { createAgent } from './life/create-agent.ts';
import { deleteAgent } from './life/delete-agent.ts';
import { listKept, restoreAgent } from './life/kept-agents.ts';
import { restartAgent, stopAgent } from './life/stop-and-restart.ts';
import type { PullRequests } from './pull-requests/pull-requests.ts';
import { knownRecords } from './reading/known-records.ts';
import { listAgents } from './reading/list-agents.ts';
import {
  agentConversation,
  agentFacts,
  agentLog,
  agentTimeline,
  conversationEnd,
  showAgent,
  taskHistory,
} from './reading/show-agent.ts';
import { waitForAgents, type WaitRequest } from './reading/wait-for-agents.ts';
import { Approvals, type CallApprovals } from './tasks/approvals.ts';
import { cancelTask } from './tasks/cancel-task.ts';
import { acknowledge, report, setMetadata } from './tasks/report.ts';
import { startTask } from './tasks/start-task.ts';
import { ToolAgents } from './tool-agents.ts';
import { forkAgent, listCheckpoints } from './work/checkpoints.ts';
import { listConflicts, showForecast, startForecast } from './work/conflicts.ts';
import { agentChecks, checkAgent } from './work/checks.ts';
import { agentDiff } from './work/diff.ts';
import { landAgent, landAgents, undoLand } from './work/land-agents.ts';
import { giveFeedback } from './work/give-feedback.ts';
import { publishAgent } from './work/publish-agent.ts';
import { updateAgent } from './work/update-agent.ts';
import { compareAgents, raceAgents } from './work/race.ts';
import { addReviewComment, listReviewComments, removeReviewComment, sendReview } from './work/review.ts';

export interface FleetParts {
  readonly backends: Sources;
  readonly clock: Clock;
  /** Absent inside an agent, where the fleet's store cannot be reached. */
  readonly ledger?: Ledger;
  readonly events?: EventSource;
  /** Where the fleet lives: two fleets make different ids from one idempotency key. */
  readonly place?: string;
  readonly calls?: CallApprovals;
  /** Absent inside an agent, which asks no forge. */
  readonly pullRequests?: PullRequests;
  /** Absent inside an agent, which reviews nobody. */
  readonly reviews?: ReviewDrafts;
  /** Absent inside an agent. */
  readonly browserSessions?: () => Promise<SessionStore>;
  readonly tokens?: () => Promise<TokenStore>;
  /** Absent inside an agent. */
  readonly feedback?: FeedbackRecords;
}

type UseCase<Input extends readonly unknown[], Answer> = (context: FleetContext, ...input: Input) => Answer;

/** The use cases over the backends. Holds no state: any number of these work side by side on one fleet. */
export class Fleet implements AsyncDisposable {
  readonly #context: FleetContext;
  readonly approvals: Approvals;
  readonly toolAgents = new ToolAgents();
  readonly doctor = new Doctor();
  readonly browserSessions: BrowserSessions;
  readonly tokens: Tokens;
  readonly ledger: Ledger | undefined;
  readonly events: EventSource | undefined;
  readonly place: string;

  constructor(parts: FleetParts) {
    const { backends, clock, ledger, events, place, calls, pullRequests, reviews, feedback } = parts;
    const lookup = new Lookup(backends);
    this.#context = { lookup, clock, events, pullRequests, reviews, feedback };
    this.approvals = new Approvals(lookup, calls);
    this.browserSessions = new BrowserSessions(parts.browserSessions);
    this.tokens = new Tokens(parts.tokens);
    this.ledger = ledger;
    this.events = events;
    this.place = place ?? '';
  }

  readonly listAgents = this.#with(listAgents);
  readonly showAgent = this.#with(showAgent);
  readonly history = this.#with(taskHistory);
  readonly log = this.#with(agentLog);
  readonly conversation = this.#with(agentConversation);
  readonly conversationEnd = this.#with(conversationEnd);
  readonly facts = this.#with(agentFacts);
  readonly timeline = this.#with(agentTimeline);

  readonly createAgent = this.#with(createAgent);
  readonly deleteAgent = this.#with(deleteAgent);
  readonly listKept = this.#with(listKept);
  readonly restoreAgent = this.#with(restoreAgent);
  readonly restartAgent = this.#with(restartAgent);
  readonly stopAgent = this.#with(stopAgent);

  readonly startTask = this.#with(startTask);
  readonly cancelTask = this.#with(cancelTask);
  readonly report = this.#with(report);
  readonly setMetadata = this.#with(setMetadata);
  readonly acknowledge = this.#with(acknowledge);

  readonly diff = this.#with(agentDiff);
  readonly updateAgent = this.#with(updateAgent);
  readonly landAgent = this.#with(landAgent);
  readonly landAgents = this.#with(landAgents);
  readonly undoLand = this.#with(undoLand);
  readonly publishAgent = this.#with(publishAgent);
  readonly listConflicts = this.#with(listConflicts);
  readonly startForecast = this.#with(startForecast);
  readonly showForecast = this.#with(showForecast);
  readonly listCheckpoints = this.#with(listCheckpoints);
  readonly forkAgent = this.#with(forkAgent);
  readonly listReviewComments = this.#with(listReviewComments);
  readonly addReviewComment = this.#with(addReviewComment);
  readonly removeReviewComment = this.#with(removeReviewComment);
  readonly sendReview = this.#with(sendReview);
  readonly raceAgents = this.#with(raceAgents);
  readonly compareAgents = this.#with(compareAgents);
  readonly checks = this.#with(agentChecks);
  readonly check = this.#with(checkAgent);

  async listProjects(): Promise<readonly Project[]> {
    return this.#context.lookup.projects();
  }

  async listRoles(projectName: string): Promise<{ project: Project; roles: readonly Role[] }> {
    const { backend, project } = await this.#context.lookup.project(projectName);
    return { project, roles: await backend.roles(project) };
  }

  async waitForAgents(request: WaitRequest, rest: Waiting) {
    const { clock, lookup, events } = this.#context;
    return waitForAgents(request, {
      ...rest,
      clock,
      cursor: () => events?.latest() ?? '0',
      covers: (cursor) => events?.covers(cursor) ?? true,
      agentsChangedSince: (cursor) => events?.agentsChangedSince(cursor) ?? new Set(),
      records: () => knownRecords(this.#context),
      changed: async (timeout, signal) => {
        const backends = await lookup.backends();
        await Promise.race(backends.map((backend) => backend.changed(timeout, signal)));
      },
    });
  }

  /** Reads the pull requests of all agents from their forges, and gives what they got back to the agents, for a server. */
  async keepPullRequests(signal: AbortSignal): Promise<void> {
    const { pullRequests, lookup } = this.#context;
    await pullRequests?.keep((await lookup.records()).records, signal);
    await giveFeedback(this.#context, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of this.#context.lookup.opened) await backend[Symbol.asyncDispose]();
  }

  /** A use case as a method. */
  #with<Input extends readonly unknown[], Answer>(useCase: UseCase<Input, Answer>) {
    return (...input: Input): Answer => useCase(this.#context, ...input);
  }
}
