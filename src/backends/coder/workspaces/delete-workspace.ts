import { isOutcomeUnknown, isRefusal } from '../client/coder-client.ts';
import { buildFailed, cancelBuild, isBuilding, lookAt, startBuild, waitFor } from './builds.ts';
import type { CoderContext } from '../model/coder-context.ts';
import type { Workspace } from '../model/workspace-schema.ts';

export interface DeleteParts {
  readonly signal: AbortSignal;
  progress(message: string): void;
}

const ANSWER_AFTER_MS = 60_000;
const FAILURES = 2;

/** Deletes a workspace whatever is going on in it. False when that goes on after the answer. */
export async function deleteWorkspace(
  context: CoderContext,
  { id, name }: Pick<Workspace, 'id' | 'name'>,
  { signal, progress }: DeleteParts,
): Promise<boolean> {
  const { pace } = context.client;
  const until = pace.now() + ANSWER_AFTER_MS;
  for (let failures = 0; pace.now() < until;) {
    const workspace = await lookAt(context, id);
    if (workspace === undefined || workspace.latest_build.status === 'deleted') return true;
    const { latest_build: build } = workspace;
    const limit_ms = Math.max(1, until - pace.now());
    if (isBuilding(build)) {
      if (build.transition !== 'delete') {
        progress(`canceling the ${build.transition} build of ${name}`);
        await cancelBuild(context, build);
      }
      await waitFor(context, id, {
        limit_ms,
        signal,
        holds: ({ latest_build }) =>
          !isBuilding(latest_build) || latest_build.build_number > build.build_number,
      });
      continue;
    }
    if (build.transition === 'delete' && build.status === 'failed' && ++failures > FAILURES)
      throw await buildFailed(context, workspace);
    progress(`deleting the workspace ${name}`);
    try {
      await startBuild(context, workspace, { transition: 'delete' });
    } catch (thrown) {
      // Somebody else's build came first, or it is gone, also by a request whose answer was lost: the next look tells.
      if (!isRefusal(thrown, 404, 409, 410) && !isOutcomeUnknown(thrown)) throw thrown;
    }
  }
  return false;
}
