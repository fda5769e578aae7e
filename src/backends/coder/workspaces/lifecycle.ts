import { FleetError } from '../../../domain/values/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import { buildFailed, cancelBuild, isBuilding, lookAt, startBuild, waitFor } from './builds.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { RunnerAway } from '../connection/proxied-json.ts';
import type { RunnerEnd, WorkspaceRunner } from '../model/workspace-runner.ts';
import type { Workspace } from '../model/workspace-schema.ts';
import { mainAgent } from '../model/workspace-state.ts';

export interface Lifecycle {
  readonly workspace: Workspace;
  readonly runner: WorkspaceRunner;
  readonly by: Actor;
  /** What a start sets again. */
  readonly parameters: Readonly<Record<string, string>>;
}

const BUILD_LIMIT_MS = 10 * 60_000;
const ANSWER_AFTER_MS = 60_000;
/** Stops a workspace: its runner first, which ends its task and tells the last of it. */
export async function stopWorkspace(
  context: CoderContext,
  { workspace, runner, by }: Lifecycle,
): Promise<void> {
  const { latest_build: build } = workspace;
  if (build.transition === 'start' && isBuilding(build)) {
    if (await cancelBuild(context, build)) {
      await settled(context, workspace, ANSWER_AFTER_MS);
      return;
    }
    await settled(context, workspace, BUILD_LIMIT_MS);
  }
  const now = await needed(context, workspace);
  if (now.latest_build.transition === 'stop' && now.latest_build.status === 'stopped') return;
  if (now.latest_build.transition !== 'stop' || !isBuilding(now.latest_build)) {
    await endRunner(now, { runner, by, kind: 'stop' });
    await startBuild(context, now, { transition: 'stop' });
  }
  const after = await settled(context, now, ANSWER_AFTER_MS);
  if (after !== undefined && after.latest_build.status === 'failed') throw await buildFailed(context, after);
}

/** Restarts a workspace from any state. Answers when the new start is under way. */
export async function restartWorkspace(
  context: CoderContext,
  { workspace, runner, by, parameters }: Lifecycle,
  atomic: boolean,
): Promise<void> {
  if (isBuilding(workspace.latest_build)) {
    await cancelBuild(context, workspace.latest_build);
    await settled(context, workspace, BUILD_LIMIT_MS);
  }
  let now = await needed(context, workspace);
  if (now.dormant_at !== null && now.dormant_at !== undefined)
    await context.client.tell(`/workspaces/${now.id}/dormant`, {
      method: 'PUT',
      body: { dormant: false },
      safe: true,
    });
  const start = {
    transition: 'start' as const,
    rich_parameter_values: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  };
  if (now.latest_build.status === 'running') {
    await endRunner(now, { runner, by, kind: 'restart' });
    await startBuild(context, now, { transition: 'stop', ...(atomic ? { on_success: start } : {}) });
    const next = await waitFor(context, now.id, {
      limit_ms: ANSWER_AFTER_MS,
      holds: ({ latest_build: build }) =>
        build.transition === 'start'
          ? build.build_number > now.latest_build.build_number
          : !isBuilding(build) && (build.status === 'failed' || !atomic),
    });
    if (next?.latest_build.status === 'failed' && next.latest_build.transition === 'stop')
      throw await buildFailed(context, next);
    if (next === undefined || next.latest_build.transition === 'start') return;
    now = next;
  }
  // A server that restarts by itself takes the active version too.
  const version = now.outdated ? { template_version_id: now.template_active_version_id } : {};
  await startBuild(context, now, { ...start, ...version });
}

/** Asks the runner to end, and gives the last that it says. One that cannot be asked ends with its workspace. */
export async function endRunner(
  workspace: Workspace,
  { runner, by, ...end }: { runner: WorkspaceRunner; by: Actor } & RunnerEnd,
): Promise<Record<string, unknown>> {
  if (mainAgent(workspace)?.status !== 'connected' || !runner.mayAnswer(workspace)) return {};
  try {
    return await runner.end({ ...end, by });
  } catch (thrown) {
    // Gone, as it was asked to be; or never there.
    if (!(thrown instanceof RunnerAway) && !(thrown instanceof FleetError)) throw thrown;
  }
  return {};
}

/** Waits until no build is under way. */
function settled(context: CoderContext, { id }: Workspace, limit_ms: number): Promise<Workspace | undefined> {
  return waitFor(context, id, { limit_ms, holds: ({ latest_build }) => !isBuilding(latest_build) });
}

async function needed(context: CoderContext, { id, name }: Workspace): Promise<Workspace> {
  const workspace = await lookAt(context, id);
  if (workspace !== undefined) return workspace;
  throw new FleetError('NOT_FOUND', `The agent "${name}" no longer exists.`, { field: 'agent_name' });
}
