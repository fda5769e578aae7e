import type { AgentState, Phase } from '../../../domain/state.ts';
import { reportedTask } from './reported-task.ts';
import type { Workspace, WorkspaceAgent } from './workspace-schema.ts';

/** What Coder says of a workspace that runs AgentAPI, whose health stands for the reports of a runner. Pure. */
export function agentApiView(
  agent: WorkspaceAgent,
  { app, unhealthy_since }: { readonly app: string; readonly unhealthy_since: number | null },
): { readonly phase: Phase; readonly reason: string; readonly unreachable_since?: number } {
  const { lifecycle_state, apps } = agent;
  const health = apps.find(({ slug }) => slug === app)?.health ?? 'disabled';
  if (lifecycle_state === 'created' || lifecycle_state === 'starting')
    return { phase: 'starting', reason: 'its workspace is starting' };
  if (lifecycle_state.startsWith('start_') && health !== 'healthy')
    return { phase: 'failed', reason: `the start script of its workspace ended with ${lifecycle_state}` };
  if (health === 'initializing') return { phase: 'starting', reason: 'its AgentAPI has not answered yet' };
  return {
    phase: 'ready',
    reason: '',
    ...(unhealthy_since === null ? {} : { unreachable_since: unhealthy_since }),
  };
}

/** Work that the agent reported and Fleet does not know: it was given in another way. Pure. */
export function reportedWork(before: AgentState, { latest_app_status, latest_build }: Workspace): AgentState {
  if (latest_app_status?.state !== 'working' || before.running !== null) return before;
  const { created_at, message } = latest_app_status;
  const at = Date.parse(created_at);
  if (at <= Date.parse(before.updated_at) || at < Date.parse(latest_build.created_at)) return before;
  return {
    ...before,
    running: reportedTask({ id: '', message, at }),
  };
}
