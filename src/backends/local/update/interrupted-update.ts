import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import type { MadeCheckpoint } from '../../../runner/workspace.ts';
import type { AgentPaths } from '../records/paths.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';
import type { AgentWork } from '../repository/agent-work.ts';
import { isPlainPath } from './in-the-way.ts';
import { runInWorkspace, type WorkspacePlace } from './run-in-workspace.ts';

/** What is noted before git changes the files of a workspace, which were those of a commit then. */
export interface UpdateNote {
  readonly head: string;
  /** Files that the update may add; nothing was there. */
  readonly added: readonly string[];
}

type Noted = Pick<AgentPaths, 'directory'>;

export function noteUpdate(paths: Noted, note: UpdateNote): void {
  mkdirSync(paths.directory, { recursive: true });
  writeFileAtomic(noteFile(paths), JSON.stringify(note));
}

export function forgetUpdate(paths: Noted): void {
  rmSync(noteFile(paths), { force: true });
}

export function hasUnfinishedUpdate(paths: Noted): boolean {
  return existsSync(noteFile(paths));
}

export interface UnfinishedUpdate {
  readonly paths: Noted;
  readonly plan: WorkspacePlan;
  readonly work: AgentWork;
  readonly place: WorkspacePlace;
  told(made: MadeCheckpoint): void;
}

/** After an update that was cut off, or that failed half-way, for which its processes must have ended: the files are those of
 *  the agent's branch again. A checkpoint has them as they were. Does nothing when no update is noted. */
export async function finishUpdate(update: UnfinishedUpdate): Promise<void> {
  const { paths, plan, work, place, told } = update;
  if (!hasUnfinishedUpdate(paths)) return;
  const { head, added } = JSON.parse(readFileSync(noteFile(paths), 'utf8')) as UpdateNote;
  const look = await work.look(() => {});
  const isAtRest = look.branch === plan.branch && !(await isInProgress(place));
  if (!isAtRest || (look.head === head && look.status !== '')) {
    if (look.status !== '') told(await work.checkpoint('update'));
    const { ok, lines } = await runInWorkspace(place, RESET, { args: [plan.branch, plan.base_name] });
    if (!ok) throw new Error(`the workspace could not be reset: ${lines.at(-1) ?? 'git failed'}`);
    if (lines.at(-1) === head) {
      const written = added.filter((path) => isPlainPath(plan.directory, path));
      const stdin = written.map((path) => `${path}\0`).join('');
      if (stdin !== '') await runInWorkspace(place, 'exec xargs -0 rm -f --', { args: [], stdin });
    }
    await work.look(() => {});
  }
  forgetUpdate(paths);
}

async function isInProgress(place: WorkspacePlace): Promise<boolean> {
  return !(await runInWorkspace(place, IS_AT_REST, { args: [] })).ok;
}

const IS_AT_REST = `
cd "$(git rev-parse --absolute-git-dir)" || exit 1
for each in index.lock MERGE_HEAD rebase-merge rebase-apply; do [ ! -e "$each" ] || exit 1; done
`;

/** Locks of a git that was killed stay, and a merge or rebase that it was in. */
const RESET = `
branch=$1 copy=$2 top=$PWD
cd "$(git rev-parse --absolute-git-dir)" || exit 1
rm -f index.lock HEAD.lock ORIG_HEAD.lock packed-refs.lock "refs/heads/$branch.lock" "refs/heads/$copy.lock"
rm -rf rebase-merge rebase-apply
rm -f MERGE_HEAD MERGE_MSG MERGE_MODE AUTO_MERGE REBASE_HEAD CHERRY_PICK_HEAD
cd "$top" || exit 1
git symbolic-ref HEAD "refs/heads/$branch" || exit 1
git -c core.hooksPath=/dev/null reset --hard --quiet || exit 1
git rev-parse HEAD
`;

function noteFile({ directory }: Noted): string {
  return join(directory, 'update.json');
}
