import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { RunnerAway } from './app-proxy.ts';
import { buildFailed, cancelBuild, isBuilding, lookAt, startBuild, waitFor } from './builds.ts';
import type { CoderContext } from './coder-context.ts';
import type { CoderRunnerClient } from './coder-runner-client.ts';
import { PARAMETERS } from './parameters.ts';
import type { Workspace } from './workspace-schema.ts';
import { freshStatus, mainAgent } from './workspace-state.ts';

export interface Lifecycle {
  readonly workspace: Workspace;
  readonly runner: CoderRunnerClient;
  readonly by: Actor;
}

const BUILD_LIMIT_MS = 10 * 60_000;
const ANSWER_AFTER_MS = 60_000;
/** The ladder of a task that will not end takes 10 s. */
const END_LIMIT_MS = 15_000;
/** And pushing its work as long as that takes. */
const KEEP_LIMIT_MS = 150_000;

/** How a runner is asked to end. */
export interface RunnerEnd {
  readonly kind: 'stop' | 'restart' | 'delete';
  /** Deleting: work that is nowhere else may go. */
  readonly discard_work?: boolean;
}

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

/** Starts a workspace anew, from whatever state. Answers when the new start is under way. */
export async function restartWorkspace(
  context: CoderContext,
  { workspace, runner, by }: Lifecycle,
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
    rich_parameter_values: [{ name: PARAMETERS.public_key, value: context.key().public_text }],
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
  { runner, by, ...end }: { runner: CoderRunnerClient; by: Actor } & RunnerEnd,
): Promise<Record<string, unknown>> {
  if (mainAgent(workspace)?.status !== 'connected' || freshStatus(workspace) === undefined) return {};
  try {
    await runner.once('end', { ...end, by }, true);
    const until = performance.now() + (end.kind === 'delete' ? KEEP_LIMIT_MS : END_LIMIT_MS);
    while (performance.now() < until) {
      const last = await runner.once('news', { by }, true);
      if (last['done'] === true) return last;
      await delay(50);
    }
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
  throw new FleetError('NOT_FOUND', `There is no agent "${name}" any more.`, { field: 'agent_name' });
}
