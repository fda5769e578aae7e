import { FleetError } from '../../../domain/values/errors.ts';
import { isOutcomeUnknown, isRefusal } from '../client/coder-client.ts';
import type { CoderContext } from '../model/coder-context.ts';
import {
  buildLogsSchema,
  buildSchema,
  workspaceSchema,
  type Build,
  type Workspace,
} from '../model/workspace-schema.ts';

const LOOK_MS = 200;
const CONFLICT_TRIES = 40;
const UNKNOWN_TRIES = 4;

/** Undefined once the workspace is deleted. */
export async function lookAt({ client }: CoderContext, workspaceId: string): Promise<Workspace | undefined> {
  try {
    return await client.ask(`/workspaces/${workspaceId}`, workspaceSchema);
  } catch (thrown) {
    if (isRefusal(thrown, 404, 410)) return undefined;
    throw thrown;
  }
}

/** The workspace with that name, of this user or of another. */
export async function lookFor(
  { client }: CoderContext,
  name: string,
  owner = 'me',
): Promise<Workspace | undefined> {
  try {
    const path = `/users/${encodeURIComponent(owner)}/workspace/${encodeURIComponent(name)}`;
    return await client.ask(path, workspaceSchema);
  } catch (thrown) {
    if (isRefusal(thrown, 400, 404, 410)) return undefined;
    throw thrown;
  }
}

/** Looks again and again until something holds, or the time is up: then what was seen last. */
export async function waitFor(
  context: CoderContext,
  workspaceId: string,
  {
    holds,
    limit_ms,
    signal,
  }: { holds(workspace: Workspace): boolean; limit_ms: number; signal?: AbortSignal },
): Promise<Workspace | undefined> {
  const { pace } = context.client;
  const until = pace.now() + limit_ms;
  for (;;) {
    const workspace = await lookAt(context, workspaceId);
    if (workspace === undefined || holds(workspace) || pace.now() > until) return workspace;
    signal?.throwIfAborted();
    await pace.wait(LOOK_MS);
  }
}

/** Starts a build. Nobody may know whether a request took effect: the number of the newest build tells. */
export async function startBuild(
  context: CoderContext,
  workspace: Workspace,
  body: { readonly transition: 'start' | 'stop' | 'delete'; readonly [key: string]: unknown },
): Promise<Build> {
  let newest = workspace.latest_build.build_number;
  let unknown = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await context.client.ask(`/workspaces/${workspace.id}/builds`, buildSchema, {
        method: 'POST',
        body,
      });
    } catch (thrown) {
      const inTheWay = isRefusal(thrown, 409) && attempt < CONFLICT_TRIES;
      if (!inTheWay && (!isOutcomeUnknown(thrown) || ++unknown === UNKNOWN_TRIES)) throw thrown;
      const now = await lookAt(context, workspace.id);
      if (now === undefined) throw thrown;
      const { latest_build: build } = now;
      if (build.build_number > newest && build.transition === body.transition) return build;
      newest = Math.max(newest, isBuilding(build) ? newest : build.build_number);
      if (inTheWay) await context.client.pace.wait(LOOK_MS);
    }
  }
}

export function isBuilding({ job }: Build): boolean {
  return ['pending', 'running', 'canceling'].includes(job.status);
}

/** Cancels a build that is under way. False when the template does not let this user. */
export async function cancelBuild({ client }: CoderContext, { id }: Build): Promise<boolean> {
  try {
    await client.tell(`/workspacebuilds/${id}/cancel`, { method: 'PATCH', safe: true });
    return true;
  } catch (thrown) {
    // Done already, or canceled before.
    if (isRefusal(thrown, 400, 412)) return true;
    if (isRefusal(thrown, 403, 500)) return false;
    throw thrown;
  }
}

/** Why a build failed: what terraform said at the end, which the build itself does not have. */
async function failureOf(context: CoderContext, build: Build): Promise<string> {
  const short = build.job.error ?? 'no reason given';
  try {
    const logs = await context.client.ask(`/workspacebuilds/${build.id}/logs`, buildLogsSchema);
    const said = logs
      .filter(({ log_level }) => log_level === 'error')
      .map(({ output }) => output.trim())
      .filter((line) => line !== '' && !/^[│╷╵]$/.test(line));
    return said.length === 0
      ? short
      : `${short}: ${said.join(' ').replaceAll(/[│╷╵]/g, '').trim().slice(0, 400)}`;
  } catch {
    return short;
  }
}

/** Asks once why the newest build of a workspace failed, where it did. */
export async function learnFailure(context: CoderContext, workspace: Workspace): Promise<void> {
  const { latest_build: build, id } = workspace;
  if (build.status !== 'failed' || context.rows.byId(id)?.failure?.build_id === build.id) return;
  context.rows.setFailure(id, { build_id: build.id, reason: await failureOf(context, build) });
}

export async function buildFailed(context: CoderContext, workspace: Workspace): Promise<FleetError> {
  const { latest_build: build } = workspace;
  const reason = await failureOf(context, build);
  context.rows.setFailure(workspace.id, { build_id: build.id, reason });
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The ${build.transition} build of the workspace "${workspace.name}" ${build.status === 'canceled' ? 'was canceled' : 'failed'}: ${reason}`,
    { reason: 'build_failed', build_id: build.id },
  );
}
