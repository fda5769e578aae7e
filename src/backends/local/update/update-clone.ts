import { join } from 'node:path';
import { namedPaths } from '../../../domain/merge/landing.ts';
import { updateConflict, type Updated, type UpdateStrategy } from '../../../domain/merge/update.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import type { Cell } from '../../../platform/processes/cell.ts';
import type { MadeCheckpoint } from '../../../runner/workspace.ts';
import type { LandingStore } from '../../../store/landing-store.ts';
import { git, gitText } from '../../git/git.ts';
import { pin, PINS } from '../lender/pin.ts';
import { changedPaths } from '../repository/checkpoint.ts';
import { baseRef, type WorkspacePlan } from '../records/workspace-plan.ts';
import { fleetRepository } from '../repository/fleet-repository.ts';
import type { AgentWork } from '../repository/agent-work.ts';
import type { WorkOf } from '../workspace/agent-work-of.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { changesBetween } from '../merge/changed-paths.ts';
import { checkGit } from '../merge/check-git.ts';
import { isPart } from '../../git/commits.ts';
import { earlierLandings, type EarlierLanding } from '../merge/earlier-landings.ts';
import { inTheWay } from './in-the-way.ts';
import { finishUpdate, forgetUpdate, noteUpdate } from './interrupted-update.ts';
import { mergeProblem, MergeTrees } from '../merge/merge-tree.ts';
import { runInWorkspace, type WorkspacePlace } from './run-in-workspace.ts';

export interface UpdateParts {
  readonly of: WorkOf;
  readonly work: AgentWork;
  readonly landings: LandingStore;
  readonly env: Readonly<Record<string, string>>;
  readonly cell: Cell | null;
  /** Called when a checkpoint was made. */
  told(made: MadeCheckpoint): void;
}

/** Brings newer commits of the base into the agent's branch, in its own repository. A conflict changes nothing. */
export async function updateClone(
  { of, work, landings, env, cell, told }: UpdateParts,
  strategy: UpdateStrategy,
): Promise<Updated> {
  await checkGit();
  const { plan, launch, home } = of;
  const { name, workspace_id } = launch;
  const clone = await clonePlanOf(plan, name);
  const base = await baseOf(clone.lender, plan);
  const place = { directory: plan.directory, env, cell, workspace_id };
  await finishUpdate({ paths: of.paths, plan, work, place, told });
  const { head, branch, status } = await work.look(() => {});
  if (head === undefined || branch !== plan.branch)
    throw updateConflict(
      'head_moved',
      `The agent "${name}" has ${branch === null ? 'no branch' : `the branch ${branch}`} checked out, not ${plan.branch}.`,
    );
  const owner = { workspace_id, published_as: clone.published_as };
  await pin(clone.lender, { ...owner, commits: [head, clone.start_commit, plan.base_commit, base] });
  if (clone.shallow && clone.lender !== join(plan.directory, '.git')) await fetchPinned(place, clone.lender);
  // A base that is followed by a ref of its own has no copy that could have commits of the agent.
  const copy = plan.base_ref === undefined ? plan.base_name : '';
  if (strategy === 'base') {
    if (copy !== '') await runInWorkspace(place, BASE, { args: [copy, base] });
    return { head, message: `The agent's copy of ${plan.base_name} is at ${base.slice(0, 12)}` };
  }
  const fleet = fleetRepository(home, clone);
  // After a squash or a rebase was landed, the branch starts again from there.
  const earlier = await earlierLandings(landings, { fleet, workspace_id, commit: head, target: base });
  const landed = rebasedFrom(earlier);
  if (earlier.some(({ reverted_by }) => reverted_by !== null))
    throw updateConflict(
      'base_reverts',
      `${plan.base_name} reverts work of agent "${name}" that was landed: to merge it would take that work out of the agent's branch. Land the agent again instead.`,
    );
  if (landed === null && (await isPart(fleet, base, head)))
    return { head, message: `Agent '${name}' has all commits of ${plan.base_name} already` };
  const dirty = changedPaths(status).map((path) => Buffer.from(path, 'latin1').toString());
  if (dirty.length > 0) {
    told(await work.checkpoint('update'));
    throw updateConflict(
      'uncommitted',
      `The agent "${name}" has uncommitted work: ${namedPaths(dirty)}. Ask it to commit first. A checkpoint has it.`,
      { paths: dirty },
    );
  }
  const merged =
    landed === null ? await mergedTree(fleet, { name, base, head, base_name: plan.base_name }) : base;
  const onto = landed === null ? strategy : 'onto';
  const added =
    onto === 'merge' ? await addedBetween(fleet, head, merged) : await addedByRebase(fleet, head, base);
  const taken = inTheWay(plan.directory, { added, known: await pathsOf(fleet, head, added) });
  if (taken.length > 0)
    throw updateConflict(
      'uncommitted',
      `${plan.base_name} has new files where the agent "${name}" has some that git does not know: ${namedPaths(taken)}. Ask it to move them, because the update would overwrite them.`,
      { paths: taken },
    );
  noteUpdate(of.paths, { head, added });
  const args = [onto, plan.base_name, base, landed ?? '', copy];
  const { ok, lines } = await runInWorkspace(place, UPDATE, { args });
  if (ok) forgetUpdate(of.paths);
  else {
    await finishUpdate({ paths: of.paths, plan, work, place, told });
    const conflicts = lines.filter((line) => line.startsWith('conflict: ')).map((line) => line.slice(10));
    if (conflicts.length === 0) throw mergeProblem(lines.join('\n'));
    throw updateConflict(
      'conflicts',
      `${plan.base_name} conflicts with the work of agent "${name}" in ${namedPaths(conflicts)}.`,
      { paths: conflicts },
    );
  }
  const after = await work.look(() => {});
  return { head: after.head ?? head, message: `Agent '${name}' is up to date with ${plan.base_name}` };
}

/** A copy of a shallow repository borrows nothing, and may not have the newer commits of the base. */
async function fetchPinned(place: WorkspacePlace, lender: string): Promise<void> {
  const args = [lender, `${PINS}/${place.workspace_id}`];
  const { ok, lines } = await runInWorkspace(place, FETCH, { args });
  if (ok) return;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The newer commits of the base could not be fetched: ${lines.at(-1) ?? 'git failed'}`,
    { reason: 'workspace_unreadable' },
  );
}

const FETCH = `
export GIT_ALLOW_PROTOCOL=file
exec git -c core.hooksPath=/dev/null -c safe.directory='*' fetch --quiet --no-tags --no-write-fetch-head --no-auto-maintenance --update-shallow --refmap= "$1" "$2"
`;

/** The commit of the agent that is in the base in another form; null when there is none. */
function rebasedFrom([last]: readonly EarlierLanding[]): string | null {
  return last === undefined || last.strategy === 'merge' || last.taken_in ? null : last.head;
}

/** Sets the agent's copy of its base, unless it has that checked out. */
const BASE = `
[ "$(git symbolic-ref --quiet HEAD)" = "refs/heads/$1" ] || git update-ref "refs/heads/$1" "$2"
`;

const UPDATE = `
how=$1 name=$2 base=$3 landed=$4 copy=$5
git() { command git -c core.hooksPath=/dev/null -c core.editor=true -c commit.gpgSign=false -c rerere.enabled=false "$@"; }
abort() {
  git diff --name-only --diff-filter=U | sed 's/^/conflict: /'
  git "$1" --abort 2> /dev/null
  exit 1
}
if ! command git config --get user.email > /dev/null; then
  export GIT_AUTHOR_NAME=Fleet GIT_AUTHOR_EMAIL=fleet@localhost
  export GIT_COMMITTER_NAME=Fleet GIT_COMMITTER_EMAIL=fleet@localhost
fi
case $how in
  merge) git merge --quiet --no-edit -m "Merge $name into $(git symbolic-ref --short HEAD)" "$base" || abort merge ;;
  rebase) git rebase --quiet "$base" || abort rebase ;;
  onto) git rebase --quiet --onto "$base" "$landed" || abort rebase ;;
esac
[ -z "$copy" ] || git update-ref "refs/heads/$copy" "$base"
`;

async function baseOf(lender: string, plan: WorkspacePlan): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', `${baseRef(plan)}^{commit}`];
  const { ok, stdout } = await git(lender, args);
  if (ok) return stdout.trim();
  throw new FleetError('INVALID_INPUT', `The project has no branch ${quote(plan.base_name)} any more.`, {
    field: 'agent_name',
    reason: 'no_base',
  });
}

/** Throws for a conflict. */
async function mergedTree(
  fleet: string,
  { name, base, head, base_name }: { name: string; base: string; head: string; base_name: string },
): Promise<string> {
  using merges = await MergeTrees.open(fleet, head);
  const merged = await merges.merge(head, base);
  if (merged.clean) return merged.tree;
  if ('unrelated' in merged)
    throw updateConflict(
      'no_common_commit',
      `The branch of agent "${name}" and ${base_name} have no commit in common.`,
    );
  throw updateConflict(
    'conflicts',
    `${base_name} conflicts with the work of agent "${name}" in ${namedPaths(merged.paths)}. Set assign_to_agent, so that the agent resolves it.`,
    { paths: merged.paths },
  );
}

async function addedBetween(fleet: string, from: string, to: string): Promise<readonly string[]> {
  const changes = await changesBetween(fleet, from, to);
  return changes.flatMap(({ path, before }) => (before === null ? [path] : []));
}

/** A rebase writes each commit's files on its way, also those that a later commit removes. */
async function addedByRebase(fleet: string, head: string, base: string): Promise<readonly string[]> {
  const names = [
    'log',
    '-z',
    '--format=',
    '--name-only',
    '--no-renames',
    '--diff-filter=A',
    `${base}..${head}`,
  ];
  const own = (await gitText(fleet, names)).split('\0').filter((path) => path !== '');
  const known = own.length === 0 ? new Set<string>() : await pathsOf(fleet, head, own);
  return [...new Set([...(await addedBetween(fleet, head, base)), ...own])].filter(
    (path) => !known.has(path),
  );
}

/** The files of a commit, if there is anything to look for. */
async function pathsOf(
  fleet: string,
  commit: string,
  wanted: readonly string[],
): Promise<ReadonlySet<string>> {
  if (wanted.length === 0) return new Set();
  return new Set((await gitText(fleet, ['ls-tree', '-r', '-z', '--name-only', commit])).split('\0'));
}
