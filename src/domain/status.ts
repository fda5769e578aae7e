import type { AgentState, RunningTask } from './state.ts';
import { oneLine } from './values/text.ts';

export const AGENT_STATUSES = [
  'pending',
  'starting',
  'busy',
  'idle',
  'stopping',
  'stopped',
  'failed',
  'canceling',
  'canceled',
  'deleting',
  'deleted',
] as const;

export type AgentStatus = (typeof AGENT_STATUSES)[number];

const OFFLINE: ReadonlySet<AgentStatus> = new Set([
  'stopping',
  'stopped',
  'failed',
  'canceling',
  'canceled',
  'deleting',
  'deleted',
]);

export function isOffline(status: AgentStatus): boolean {
  return OFFLINE.has(status);
}

/** Wall clock, and the clock that stands still while the machine sleeps (comparable within one boot). */
export interface Instant {
  readonly at: number;
  readonly awake_ms: number;
  readonly boot: string;
}

export interface Waiting {
  /** The place in the queue of agents that wait for their turn to start, from 1. */
  readonly place: number;
  /** What keeps the first of them from starting. */
  readonly why?: string;
}

/** What the journal cannot know and a reader adds. */
export interface Observation {
  /** That it waits for its turn to start. */
  readonly waiting?: Waiting;
  /** Since when nobody could reach the agent's runner. */
  readonly unreachable_since?: number;
  /** Last sign of life of the running task. */
  readonly progress?: Instant;
}

export interface StatusView {
  readonly status: AgentStatus;
  readonly status_reason: string;
  readonly current_task: string | null;
  readonly needs_attention: boolean;
  /** What a person has to deal with; null unless the agent needs attention. */
  readonly attention_reason: string | null;
  readonly stuck: boolean;
  readonly busy_since: string | null;
  /** Wall clock time at which time alone may change this view. */
  readonly look_again_at: number | null;
}

export const UNREACHABLE_LIMIT_MS = 60_000;

/** The status of an agent: a pure function of its facts, what was observed beside them, and the time. */
export function deriveStatus(state: AgentState, observed: Observation, now: Instant): StatusView {
  const view = viewOf(state, observed, now);
  const attention = view.needs_attention ? oneLine(attentionReason(state, view)) : null;
  return { ...view, status_reason: oneLine(view.status_reason), attention_reason: attention };
}

type View = Omit<StatusView, 'attention_reason'>;

/** The most pressing one first: an agent that is stuck or asks does nothing until a person acts. */
function attentionReason(state: AgentState, view: View): string {
  const { attention, approvals, parked, stuck_after_ms } = state;
  if (view.stuck) return `no progress for more than ${seconds(stuck_after_ms)}`;
  const asked = approvals.find(({ seen }) => !seen);
  if (asked !== undefined && view.status === 'busy') return `${asked.what} (${asked.id})`;
  if (parked !== null && view.status === 'busy') return parked.reason;
  return attention?.reason ?? view.status_reason;
}

function viewOf(state: AgentState, observed: Observation, now: Instant): View {
  const base = {
    current_task: null,
    needs_attention: state.attention !== null,
    stuck: false,
    busy_since: null,
    look_again_at: null,
  };
  switch (state.phase) {
    case 'pending':
    case 'starting': {
      const reason = state.phase === 'pending' ? pendingReason(state, observed) : state.phase_reason;
      const waiting = { ...base, status: state.phase, status_reason: reason };
      return unreachableView(observed, now) ?? { ...waiting, look_again_at: unreachableAt(observed) };
    }
    case 'stopping':
    case 'stopped':
    case 'failed':
    case 'canceling':
    case 'canceled':
    case 'deleting':
    case 'deleted':
      return { ...base, status: state.phase, status_reason: state.phase_reason };
    case 'ready':
      return unreachableView(observed, now) ?? readyView(state, observed, now);
  }
}

function pendingReason(state: AgentState, { waiting }: Observation): string {
  return waiting === undefined ? state.phase_reason : `${state.phase_reason}; ${placeText(waiting)}`;
}

function placeText({ place, why }: Waiting): string {
  return `place ${place} in the queue${why === undefined ? '' : `: ${why}`}`;
}

function unreachableView(observed: Observation, now: Instant): View | undefined {
  const since = observed.unreachable_since;
  if (since === undefined || now.at - since < UNREACHABLE_LIMIT_MS) return undefined;
  return {
    status: 'failed',
    status_reason: `its runner has not answered since ${new Date(since).toISOString()}`,
    current_task: null,
    needs_attention: true,
    stuck: false,
    busy_since: null,
    look_again_at: null,
  };
}

function unreachableAt({ unreachable_since }: Observation): number | null {
  return unreachable_since === undefined ? null : unreachable_since + UNREACHABLE_LIMIT_MS;
}

function readyView(state: AgentState, observed: Observation, now: Instant): View {
  if (state.running === null) {
    const queued = state.queue.length;
    return {
      status: queued > 0 ? 'busy' : 'idle',
      status_reason: queued > 0 ? `${queued} queued, ${nextReason(observed)}` : idleReason(state),
      current_task: null,
      needs_attention: state.attention !== null,
      stuck: false,
      busy_since: queued > 0 ? state.updated_at : null,
      look_again_at: unreachableAt(observed),
    };
  }
  const { running } = state;
  const silent = silence(state, observed, now);
  // One that waits for a person, or for its quota, is not stuck.
  const asks = state.approvals.length > 0 || state.parked !== null;
  const stuck = !asks && silent >= state.stuck_after_ms;
  const stuckAt = stuck || asks ? null : now.at + (state.stuck_after_ms - silent);
  return {
    status: 'busy',
    status_reason: stuck
      ? `task ${running.id} has shown no progress for ${seconds(silent)} (limit ${seconds(state.stuck_after_ms)})`
      : withAttention(state, withQuestion(state, workReason(state, running))),
    current_task: running.message,
    needs_attention: (stuck && !isAcknowledged(state, observed, now)) || wantsHuman(state),
    stuck,
    busy_since: running.started_at,
    look_again_at: earliest(stuckAt, unreachableAt(observed)),
  };
}

/** Waking up takes a turn as well. */
function nextReason({ waiting }: Observation): string {
  return waiting === undefined
    ? 'the next is about to start'
    : `waiting for its turn to start; ${placeText(waiting)}`;
}

const OVER_BUDGET =
  'the last task went over its budget, and the next one is refused unless the budget was raised since';

function idleReason(state: AgentState): string {
  const rests = state.asleep ? 'asleep; the next task wakes it' : state.phase_reason;
  const reason = state.checks?.state === 'running' ? `${rests}; its checks are running` : rests;
  return withAttention(state, state.over_budget === null ? reason : `${reason}; ${OVER_BUDGET}`);
}

function workReason({ calls, parked }: AgentState, running: RunningTask): string {
  const since = `task ${running.id} is running since ${running.started_at}`;
  if (parked !== null) {
    const until = parked.until === null ? 'until you acknowledge it' : `until ${parked.until}`;
    return `parked ${until}: ${parked.reason}; ${since}`;
  }
  if (running.trouble !== null) return `trying again after: ${running.trouble}; ${since}`;
  const [call] = calls;
  return call === undefined ? since : `uses ${call.tool}; ${since}`;
}

function wantsHuman({ attention, approvals, parked }: AgentState): boolean {
  return attention !== null || parked !== null || approvals.some(({ seen }) => !seen);
}

function withQuestion({ approvals: [first, ...rest] }: AgentState, reason: string): string {
  if (first === undefined) return reason;
  return `${first.what} (${first.id}${rest.length > 0 ? `, and ${rest.length} more` : ''}); ${reason}`;
}

function withAttention({ attention }: AgentState, reason: string): string {
  return attention === null ? reason : `${reason}; needs attention: ${attention.reason}`;
}

/** Seen by somebody since the last sign of life: it is stuck still, and nobody has to be told again. */
function isAcknowledged({ running }: AgentState, { progress }: Observation, now: Instant): boolean {
  const seen = running?.acknowledged ?? undefined;
  return seen !== undefined && latest(seen, progress, now.boot) === seen;
}

/** How long the running task has been silent, in time that the machine was awake. */
function silence(state: AgentState, { progress }: Observation, now: Instant): number {
  const started = state.running?.started;
  const last = latest(started, progress, now.boot) ?? now;
  return last.boot === now.boot ? now.awake_ms - last.awake_ms : now.at - last.at;
}

function latest(
  started: Instant | undefined,
  progress: Instant | undefined,
  boot: string,
): Instant | undefined {
  if (started === undefined || progress === undefined) return started ?? progress;
  if (started.boot === boot && progress.boot === boot) {
    return started.awake_ms > progress.awake_ms ? started : progress;
  }
  return started.at > progress.at ? started : progress;
}

function earliest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
