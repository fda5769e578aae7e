import type { BudgetUse } from './budget.ts';
import type { Fact } from './fact.ts';
import { FLEET_ACTOR } from './principal.ts';
import {
  checksAskedAnew,
  checksCutOff,
  checksEnded,
  checksStarted,
  failingReason,
  NO_RUN,
  type ChecksState,
} from './review/checks-state.ts';
import type { Instant } from './status.ts';
import { taskResult, type TaskEnding } from './task-result.ts';

export type Phase =
  | 'pending'
  | 'starting'
  | 'ready'
  | 'failed'
  | 'stopping'
  | 'stopped'
  | 'canceling'
  | 'canceled'
  | 'deleting'
  | 'deleted';

export interface RunningTask {
  readonly id: string;
  readonly message: string;
  readonly started_at: string;
  readonly started: Instant;
  readonly cancel_requested: boolean;
  /** When somebody said that they have seen it. */
  readonly acknowledged: Instant | null;
  /** How often it went on after its runner died. */
  readonly resumed: number;
  /** Why its last turn is tried again. */
  readonly trouble: string | null;
}

/** A question that waits for its answer; the whole of it is in the fact. */
export interface OpenApproval {
  readonly id: string;
  readonly seq: number;
  readonly what: string;
  readonly asked_at: string;
  readonly expires_at: string | null;
  /** Somebody said that they have seen it. */
  readonly seen: boolean;
}

export interface Attention {
  readonly reason: string;
  readonly since: string;
  /** Set when it goes by itself once the checks pass. */
  readonly of?: 'checks';
}

/** Everything that an agent's facts add up to. Made by `fold` alone. */
export interface AgentState {
  readonly seq: number;
  readonly phase: Phase;
  readonly phase_reason: string;
  readonly asleep: boolean;
  /** False while nobody runs it: no runner was started yet, or it slept, stopped or was lost. */
  readonly attended: boolean;
  readonly generation: number;
  /** Runners lost in a row before the agent was ready. */
  readonly lost_starts: number;
  readonly running: RunningTask | null;
  /** Ids of accepted tasks that wait, in the order in which they will run. */
  readonly queue: readonly string[];
  readonly last_task: string | null;
  /** How the last task that ran has ended. */
  readonly last_end: TaskEnding | null;
  /** What the last task used, when that was more than its budget. */
  readonly over_budget: BudgetUse | null;
  readonly attention: Attention | null;
  readonly approvals: readonly OpenApproval[];
  /** How many questions it ever asked. */
  readonly asked: number;
  /** The session of an agent that has one. */
  readonly session: string | null;
  /** Tool calls that have begun and not ended. */
  readonly calls: readonly { readonly id: string; readonly tool: string }[];
  /** What all tasks used; null for an agent that does not say. */
  readonly usage: { readonly tokens: number; readonly cost: number } | null;
  /** Its account has no quota left. */
  readonly parked: { readonly reason: string; readonly until: string | null } | null;
  /** Null for an agent without checks. */
  readonly checks: ChecksState | null;
  readonly stuck_after_ms: number;
  readonly updated_at: string;
}

export const EMPTY_STATE: AgentState = {
  seq: 0,
  phase: 'pending',
  phase_reason: 'accepted, waiting for its turn to start',
  asleep: false,
  attended: false,
  generation: 0,
  lost_starts: 0,
  running: null,
  queue: [],
  last_task: null,
  last_end: null,
  over_budget: null,
  attention: null,
  approvals: [],
  asked: 0,
  session: null,
  calls: [],
  usage: null,
  parked: null,
  checks: null,
  stuck_after_ms: 15 * 60_000,
  updated_at: new Date(0).toISOString(),
};

const NEW_IN_RUNNING: Partial<RunningTask> = { acknowledged: null, resumed: 0, trouble: null };

/** A state that another version wrote may lack what this one knows. */
export function stateOf(written: Partial<AgentState>): AgentState {
  const running = written.running ?? null;
  return {
    ...EMPTY_STATE,
    ...written,
    running: running === null ? null : { ...NEW_IN_RUNNING, ...running },
  };
}

const LOST_STARTS_LIMIT = 3;

/** One fact further. Pure: the same facts in the same order give the same state, everywhere. */
export function fold(state: AgentState, fact: Fact): AgentState {
  const after = { ...state, ...change(state, fact), seq: fact.seq };
  return { ...after, updated_at: isUpdate(state, after, fact) ? fact.at : state.updated_at };
}

/** A change of status, task or metadata; the rest is nobody's news. */
function isUpdate(before: AgentState, after: AgentState, { body }: Fact): boolean {
  const own = body.kind.startsWith('task.') || body.kind === 'report' || body.kind === 'metadata.set';
  return (
    own || body.kind === 'agent.created' || before.phase !== after.phase || isBusy(before) !== isBusy(after)
  );
}

function isBusy({ running, queue }: AgentState): boolean {
  return running !== null || queue.length > 0;
}

function change(state: AgentState, fact: Fact): Partial<AgentState> {
  const { body } = fact;
  switch (body.kind) {
    case 'agent.created':
      return { stuck_after_ms: body.stuck_after_ms };
    case 'agent.admitted':
      return state.phase === 'pending' ? { phase: 'starting', phase_reason: 'making the workspace' } : {};
    case 'agent.workspace_made':
      return { phase_reason: 'the workspace is made; its set-up and agent are starting' };
    case 'agent.ready':
      return { phase: 'ready', phase_reason: 'ready, no task', lost_starts: 0 };
    case 'agent.start_failed':
      return {
        phase: 'failed',
        phase_reason: body.reason,
        attended: false,
        attention: { reason: body.reason, since: fact.at },
      };
    case 'agent.stop_requested':
      return state.phase === 'pending' || state.phase === 'starting'
        ? { phase: 'canceling', phase_reason: `asked to stop while ${state.phase} by ${fact.by.principal}` }
        : { phase: 'stopping', phase_reason: `asked to stop by ${fact.by.principal}` };
    case 'agent.stopped':
      return {
        phase: state.phase === 'canceling' ? 'canceled' : 'stopped',
        phase_reason: `stopped on request of ${fact.by.principal}`,
        attended: false,
        asleep: false,
      };
    case 'agent.restart_requested':
      return {
        phase: 'pending',
        phase_reason: `restarted by ${fact.by.principal}, waiting for its turn to start`,
        asleep: false,
        attended: false,
        lost_starts: 0,
        // A restart alone does not raise a budget.
        attention: state.over_budget === null ? null : state.attention,
      };
    case 'agent.deleting':
      return { phase: 'deleting', phase_reason: `deleted by ${fact.by.principal}` };
    case 'agent.deleted':
      return { phase: 'deleted', phase_reason: 'gone', attended: false };
    case 'agent.restored':
      return {
        phase: 'stopped',
        phase_reason: `restored by ${fact.by.principal}; restart_agent starts it`,
        attended: false,
        asleep: false,
      };
    case 'agent.acknowledged':
      return {
        attention: null,
        approvals: allSeen(state),
        running: state.running === null ? null : { ...state.running, acknowledged: instantOf(fact) },
      };
    case 'runner.started':
      return {
        attended: true,
        asleep: false,
        generation: body.generation,
        ...(body.checks === undefined ? {} : { checks: body.checks ? (state.checks ?? NO_RUN) : null }),
      };
    case 'runner.slept':
      return { attended: false, asleep: true, checks: checksCutOff(state.checks) };
    case 'runner.lost':
      return lost(state, fact);
    case 'task.accepted':
      return {
        queue: body.front ? [body.task_id, ...state.queue] : [...state.queue, body.task_id],
        last_task: body.message,
        attention: null,
        approvals: allSeen(state),
        checks: body.source === 'agent' ? state.checks : checksAskedAnew(state.checks),
      };
    case 'task.started':
      return {
        queue: state.queue.filter((id) => id !== body.task_id),
        running: {
          id: body.task_id,
          message: body.message,
          started_at: fact.at,
          started: instantOf(fact),
          cancel_requested: false,
          acknowledged: null,
          resumed: 0,
          trouble: null,
        },
      };
    case 'task.cancel_requested':
      return state.running?.id === body.task_id
        ? { running: { ...state.running, cancel_requested: true } }
        : {};
    case 'task.ended':
      return ended(state, fact, body);
    case 'report':
      return {
        last_task: body.message,
        ...(body.state === 'failure' ? { attention: { reason: body.message, since: fact.at } } : {}),
      };
    case 'task.resumed':
      return state.running === null
        ? {}
        : { running: { ...state.running, resumed: state.running.resumed + 1, started: instantOf(fact) } };
    case 'session.opened':
      return { session: body.session_id };
    case 'tool.opened':
      return { calls: [...state.calls, { id: body.call_id, tool: body.tool }], ...withoutTrouble(state) };
    case 'tool.ended':
      return { calls: state.calls.filter(({ id }) => id !== body.call_id) };
    case 'turn.retried':
      return state.running === null ? {} : { running: { ...state.running, trouble: body.reason } };
    case 'usage': {
      const { tokens, cost } = state.usage ?? { tokens: 0, cost: 0 };
      return { usage: { tokens: tokens + body.tokens, cost: cost + body.cost } };
    }
    case 'agent.parked':
      return { parked: { reason: body.reason, until: body.until } };
    case 'agent.unparked':
      return { parked: null };
    case 'approval.asked':
      return { asked: state.asked + 1, approvals: [...state.approvals, openApproval(fact, body)] };
    case 'approval.answered':
    case 'approval.closed':
      return { approvals: state.approvals.filter(({ id }) => id !== body.approval_id) };
    case 'checks.started':
      return { checks: checksStarted(state.checks, body) };
    case 'checks.ended':
      return { checks: checksEnded(state.checks, body), ...checkAttention(state, fact, body) };
    case 'metadata.set':
    case 'log.cut':
    case 'journal.mended':
      return {};
  }
}

/** An agent whose last word is that it is done, while its checks fail. */
function checkAttention(
  { attention, running, queue, last_end, phase, checks }: AgentState,
  { at }: Fact,
  body: Extract<Fact['body'], { kind: 'checks.ended' }>,
): Partial<AgentState> {
  const own = attention === null || attention.of === 'checks';
  if (!own || body.state === 'not_run') return {};
  if (body.state === 'passing') return { attention: null };
  const rests = phase === 'ready' && running === null && queue.length === 0;
  if (!rests || last_end?.state !== 'complete' || body.task_id !== undefined) return {};
  return {
    attention: { reason: failingReason(body, checks?.retried ?? 0), since: at, of: 'checks' },
  };
}

function withoutTrouble({ running }: AgentState): Partial<AgentState> {
  return running === null || running.trouble === null ? {} : { running: { ...running, trouble: null } };
}

function openApproval(
  { seq, at }: Fact,
  { approval_id, question, expires_at }: Extract<Fact['body'], { kind: 'approval.asked' }>,
): OpenApproval {
  const asks = question.kind === 'question' ? 'asks a question' : 'asks for permission';
  return { id: approval_id, seq, what: `${asks}: ${question.tool}`, asked_at: at, expires_at, seen: false };
}

function allSeen({ approvals }: AgentState): readonly OpenApproval[] {
  return approvals.map((approval) => ({ ...approval, seen: true }));
}

function instantOf({ at, awake_ms, boot }: Fact): Instant {
  return { at: Date.parse(at), awake_ms, boot };
}

/** An end that somebody should look at: a failure, or an interruption that nobody asked for. */
export function needsHuman({ body, by }: Fact): boolean {
  if (body.kind !== 'task.ended') return false;
  return body.state === 'failed' || (body.state === 'interrupted' && by.principal === FLEET_ACTOR.principal);
}

function ended(
  state: AgentState,
  fact: Fact,
  body: Extract<Fact['body'], { kind: 'task.ended' }>,
): Partial<AgentState> {
  const wants = state.phase === 'ready' && needsHuman(fact);
  return {
    queue: state.queue.filter((id) => id !== body.task_id),
    ...(state.running?.id === body.task_id
      ? {
          running: null,
          approvals: [],
          calls: [],
          parked: null,
          last_end: { state: body.state, result: taskResult(body) },
          over_budget: body.over_budget ?? null,
          ...(state.phase === 'ready' ? { phase_reason: `the last task ended: ${body.state}` } : {}),
        }
      : {}),
    ...(wants ? { attention: { reason: body.reason, since: fact.at } } : {}),
  };
}

/** A runner was found dead: an agent that was ready is as good as asleep; one that was starting waits again. */
function lost(state: AgentState, fact: Fact): Partial<AgentState> {
  const gone = { attended: false, asleep: false, checks: checksCutOff(state.checks) };
  switch (state.phase) {
    case 'ready':
      if (state.running !== null)
        return {
          ...gone,
          phase: 'pending',
          phase_reason: 'its runner died; the task continues when it starts again',
        };
      return state.queue.length > 0
        ? {
            ...gone,
            phase: 'pending',
            phase_reason: 'its runner died; the queued tasks wait for it to start again',
          }
        : { ...gone, asleep: true, phase_reason: 'its runner died' };
    case 'pending':
    case 'starting': {
      const lost_starts = state.lost_starts + 1;
      const reason = `its runner died ${lost_starts} times while it was starting; restart_agent starts it again`;
      return lost_starts < LOST_STARTS_LIMIT
        ? { ...gone, lost_starts, phase: 'pending', phase_reason: 'its runner died while it was starting' }
        : {
            ...gone,
            lost_starts,
            phase: 'failed',
            phase_reason: reason,
            attention: { reason, since: fact.at },
          };
    }
    case 'stopping':
      return { ...gone, phase: 'stopped', phase_reason: 'stopped; its runner died on the way' };
    case 'canceling':
      return { ...gone, phase: 'canceled', phase_reason: 'canceled; its runner died on the way' };
    case 'failed':
    case 'stopped':
    case 'canceled':
    case 'deleting':
    case 'deleted':
      return gone;
  }
}
