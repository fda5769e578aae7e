import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../../platform/remove-tree.ts';
import { readArchive, type Archive } from './archives.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { reasonOf } from '../repository/agent-work.ts';
import { forgetAgent } from '../repository/forget-agent.ts';

const ENDED = '.ended';

/** Removes archives for good, with all that was borrowed for them. One that is renamed cannot be restored any more, and
 *  the next run removes the rest of it. Returns the problems. */
export async function endArchives(home: string, archives: readonly Archive[]): Promise<readonly string[]> {
  for (const { path } of archives) {
    // One that was restored, or ended by somebody else, at this moment is gone.
    if (existsSync(path)) renameSync(path, `${path}${ENDED}`);
  }
  const problems: string[] = [];
  const directory = join(home, 'archive');
  const names = existsSync(directory) ? readdirSync(directory) : [];
  for (const name of names.filter((each) => each.endsWith(ENDED))) {
    const path = join(directory, name);
    try {
      await end(home, path, name.slice(0, -ENDED.length));
    } catch (thrown) {
      problems.push(`${path} could not be removed: ${reasonOf(thrown)}`);
    }
  }
  return problems;
}

async function end(home: string, path: string, workspaceId: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const origin = originIn(path, workspaceId);
  if (origin !== null && (origin.plan.clone !== undefined || existsSync(origin.plan.repository)))
    await forgetAgent(home, await clonePlanOf(origin.plan, origin.launch.name), workspaceId);
  await rm(path, { recursive: true, force: true }).catch(() => removeTree(path));
}

/** A journal that cannot be read, or that was removed first, says nothing of what was borrowed. */
function originIn(path: string, workspaceId: string): Archive['origin'] {
  try {
    return readArchive(path, workspaceId)?.origin ?? null;
  } catch {
    return null;
  }
}
