import type { AgentState, Phase } from '../../../domain/state.ts';
import type { Instant, Observation } from '../../../domain/status.ts';
import { agentApiView, reportedWork } from './agentapi-state.ts';
import { stateBefore, type CoderOrigin } from './coder-origin.ts';
import type { CoderRow } from './coder-rows.ts';
import { noteOf, type StatusNote } from './app-status.ts';
import { FLEET_APP } from './parameters.ts';
import type { AppStatus, Workspace, WorkspaceAgent } from './workspace-schema.ts';
import { reportedTask } from './reported-task.ts';

export interface Known {
  readonly origin: CoderOrigin;
  readonly summary: CoderRow['summary'];
  readonly unhealthy_since: number | null;
  readonly failure: CoderRow['failure'];
}

interface View {
  readonly phase: Phase;
  readonly reason: string;
  readonly unreachable_since?: number;
}

/** What an agent is, from its workspace's build, agent and app status, and from what its runner last said. Pure. */
export function workspaceState(
  workspace: Workspace,
  known: Known,
  now: Instant,
): { state: AgentState; observed: Observation } {
  const before = known.summary?.state ?? stateBefore(known.origin);
  const view = viewOf(workspace, known);
  const { latest_build: build } = workspace;
  if (view.phase !== 'ready') {
    const failed = view.phase === 'failed';
    return {
      state: {
        ...before,
        phase: view.phase,
        phase_reason: view.reason,
        attention: failed ? { reason: view.reason, since: build.created_at } : before.attention,
        updated_at: later(before.updated_at, build.created_at),
      },
      observed: unreachable(view),
    };
  }
  const status = runnerStatus(workspace);
  const note = noteOf(status?.uri ?? '');
  const { agentapi } = known.origin;
  const heard = agentapi === undefined ? before : reportedWork(before, workspace);
  const told =
    status === undefined || note === undefined || note.seq <= before.seq
      ? heard
      : withNote(before, status, note);
  const progress = known.summary?.progress ?? undefined;
  return {
    state: { ...told, phase: 'ready', phase_reason: readyReason(told), attended: true },
    observed: {
      ...unreachable(view),
      // Signs of life are in the runner's journal: it says itself when there are none.
      ...(told.running === null
        ? {}
        : { progress: note?.stuck === true && progress !== undefined ? progress : now }),
    },
  };
}

/** The agent of a workspace that Fleet speaks to: the one with the app, else the first that is nobody's part. */
export function mainAgent(workspace: Workspace, slug: string = FLEET_APP): WorkspaceAgent | undefined {
  let first: WorkspaceAgent | undefined;
  for (const { agents } of workspace.latest_build.resources) {
    for (const agent of agents) {
      if (agent.parent_id !== null && agent.parent_id !== undefined) continue;
      if (agent.apps.some((app) => app.slug === slug)) return agent;
      first ??= agent;
    }
  }
  return first;
}

export function mainApp(workspace: Workspace, slug: string) {
  return mainAgent(workspace, slug)?.apps.find((app) => app.slug === slug);
}

/** All statuses that came from a workspace since it was started, oldest first. */
export function appStatuses({ latest_build: { resources } }: Workspace): readonly AppStatus[] {
  return resources
    .flatMap(({ agents }) => agents)
    .flatMap(({ apps }) => apps)
    .flatMap(({ statuses }) => statuses)
    .toSorted((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
}

/** The newest status that a runner of ours reported. The agent may have reported to Coder itself since. */
export function runnerStatus(workspace: Workspace): AppStatus | undefined {
  const { latest_app_status: latest } = workspace;
  if (latest === null || latest === undefined) return undefined;
  if (noteOf(latest.uri) !== undefined) return latest;
  return appStatuses(workspace).findLast(({ uri }) => noteOf(uri) !== undefined);
}

/** A status from before the newest start is of another runner. */
export function freshStatus(workspace: Workspace): AppStatus | undefined {
  const status = runnerStatus(workspace);
  if (status === undefined) return undefined;
  return Date.parse(status.created_at) >= Date.parse(workspace.latest_build.created_at) ? status : undefined;
}

function viewOf(workspace: Workspace, known: Known): View {
  const { latest_build: build } = workspace;
  const place = `place ${build.job.queue_position} of ${build.job.queue_size}`;
  switch (build.status) {
    case 'pending':
      if (build.transition === 'stop')
        return { phase: 'stopping', reason: 'the build that stops it is queued' };
      if (build.transition === 'delete')
        return { phase: 'deleting', reason: 'the build that deletes it is queued' };
      return {
        phase: 'pending',
        reason: `its build is queued${build.job.queue_size > 0 ? ` (${place})` : ''}`,
      };
    case 'starting':
      return { phase: 'starting', reason: 'its workspace is being built' };
    case 'running':
      return agentView(workspace, known);
    case 'stopping':
      return { phase: 'stopping', reason: `being stopped by ${build.initiator_name}` };
    case 'stopped':
      return { phase: 'stopped', reason: stoppedReason(workspace) };
    case 'canceling':
      return { phase: 'canceling', reason: 'its build is being canceled' };
    case 'canceled':
      return { phase: 'canceled', reason: `its ${build.transition} build was canceled` };
    case 'deleting':
      return { phase: 'deleting', reason: `being deleted by ${build.initiator_name}` };
    case 'deleted':
      return { phase: 'deleted', reason: 'gone' };
    default:
      return { phase: 'failed', reason: failedReason(workspace, known) };
  }
}

function stoppedReason({ dormant_at, latest_build, outdated }: Workspace): string {
  const by = `stopped by ${latest_build.initiator_name}`;
  const outdatedText = outdated ? '; its template has a newer version, which restart_agent takes' : '';
  if (dormant_at === null || dormant_at === undefined) return `${by}${outdatedText}`;
  return `dormant since ${dormant_at}; restart_agent wakes it${outdatedText}`;
}

function failedReason({ latest_build: build }: Workspace, { failure }: Known): string {
  const why = failure?.build_id === build.id ? failure.reason : (build.job.error ?? 'no reason given');
  return `its ${build.transition} build failed: ${why}`;
}

function agentView(workspace: Workspace, known: Known): View {
  const { agentapi: app } = known.origin;
  const agent = mainAgent(workspace, app ?? FLEET_APP);
  if (agent === undefined) return { phase: 'failed', reason: 'its workspace has no agent' };
  switch (agent.status) {
    case 'connecting':
      return {
        phase: 'starting',
        reason: 'its workspace is built; waiting for its workspace agent to connect',
      };
    case 'timeout':
      return { phase: 'failed', reason: `its workspace agent did not connect: ${timeoutReason(agent)}` };
    case 'disconnected': {
      const since = Date.parse(agent.disconnected_at ?? workspace.latest_build.created_at);
      return { phase: 'ready', reason: '', unreachable_since: since };
    }
    default:
      return app === undefined
        ? readyView(workspace, agent, known)
        : agentApiView(agent, { app, unhealthy_since: known.unhealthy_since });
  }
}

function timeoutReason({ health }: WorkspaceAgent): string {
  return health?.reason || 'Coder has waited too long for it';
}

function readyView(workspace: Workspace, agent: WorkspaceAgent, known: Known): View {
  const status = freshStatus(workspace);
  const note = noteOf(status?.uri ?? '');
  if (note?.failed === true) return { phase: 'failed', reason: status?.message ?? '' };
  const { lifecycle_state } = agent;
  if (lifecycle_state === 'created' || lifecycle_state === 'starting')
    return { phase: 'starting', reason: 'its workspace is starting' };
  if (status === undefined && lifecycle_state.startsWith('start_'))
    return { phase: 'failed', reason: `the start script of its workspace ended with ${lifecycle_state}` };
  const since = known.unhealthy_since ?? undefined;
  if (status === undefined) {
    const ready = Date.parse(agent.ready_at ?? workspace.latest_build.created_at);
    return { phase: 'starting', reason: 'its runner has not reported yet', unreachable_since: ready };
  }
  return { phase: 'ready', reason: '', ...(since === undefined ? {} : { unreachable_since: since }) };
}

/** What a report says beyond an older copy of the journal. */
function withNote(before: AgentState, status: AppStatus, note: StatusNote): AgentState {
  const { message, state, created_at } = status;
  const at = Date.parse(created_at);
  const busy = state === 'working';
  return {
    ...before,
    running: busy
      ? reportedTask({
          id: before.running?.id ?? before.queue[0] ?? '',
          message: wholeMessage(before, message),
          at,
        })
      : null,
    queue: before.queue.slice(0, busy ? note.queued : 0),
    last_task: busy ? wholeMessage(before, message) : (before.last_task ?? message),
    attention: note.attention ? (before.attention ?? { reason: message, since: created_at }) : null,
    updated_at: later(before.updated_at, new Date(at).toISOString()),
  };
}

/** A report has the beginning of a text that may be known whole. */
function wholeMessage({ last_task, running }: AgentState, start: string): string {
  const known = [running?.message, last_task].find(
    (text) => typeof text === 'string' && text.startsWith(start),
  );
  return known ?? start;
}

function readyReason({ phase, phase_reason, asleep }: AgentState): string {
  return phase === 'ready' && !asleep && phase_reason !== '' ? phase_reason : 'ready, no task';
}

function unreachable({ unreachable_since }: View): Observation {
  return unreachable_since === undefined ? {} : { unreachable_since };
}

function later(one: string, other: string): string {
  const at = Date.parse(other);
  return Date.parse(one) > at ? one : new Date(at).toISOString();
}
