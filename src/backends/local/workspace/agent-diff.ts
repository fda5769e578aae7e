import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import type { AgentDiff, DiffRequest, DiffSides } from '../../../domain/diff/agent-diff.ts';
import { readCursor } from '../../../domain/diff/diff-cursor.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { treeOf } from '../../git/commits.ts';
import { git } from '../../git/git.ts';
import { reasonOf } from '../repository/agent-work.ts';
import { checkpointsAt } from '../repository/checkpoints.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import type { Look } from '../reading/look.ts';
import { readDiff } from '../repository/read-diff.ts';
import { agentRepository, type WorkOf } from './agent-work-of.ts';
import { clonePlanOf } from './plan-workspace.ts';

/** What an agent has changed. Reads its repository in a sandbox of its own, beside the runner, and wakes nobody. */
export async function agentDiff(
  work: WorkOf,
  request: DiffRequest & { readonly running: string | null },
): Promise<AgentDiff> {
  const { home, plan, launch } = work;
  for (const path of request.paths) checkInside(path);
  const clone = await clonePlanOf(plan, launch.name);
  const fleet = fleetRepository(home, clone);
  if (request.cursor !== undefined) {
    const cursor = readCursor(request.cursor);
    await checkThere(fleet, [cursor.from_tree, cursor.to_tree]);
    return readDiff(fleet, cursor, { wanted: request, start: cursor });
  }
  if (!existsSync(plan.directory)) throw noWorkspace(launch.name);
  const sides = await sidesOf(work, { clone, fleet, request });
  return readDiff(fleet, sides, { wanted: request, start: { file: 0, offset: 0 } });
}

interface Comparison {
  readonly clone: Awaited<ReturnType<typeof clonePlanOf>>;
  readonly fleet: string;
  readonly request: DiffRequest & { readonly running: string | null };
}

async function sidesOf(work: WorkOf, { clone, fleet, request }: Comparison): Promise<DiffSides> {
  const { task_id, since, running } = request;
  if (task_id === undefined && since === undefined) {
    const { look, files, left, notes } = await seen(work);
    const compared = { branch: look.branch, base: left.commit, head: look.head ?? null, notes };
    return { ...compared, from_tree: left.tree, to_tree: files.tree };
  }
  const { workspace_id, name } = work.launch;
  const points = await checkpointsAt(fleet, agentRefs(workspace_id).checkpoints);
  const commitBefore = (number: number): string => points[number - 2]?.commit ?? clone.start_commit;
  const ended = task_id === undefined ? undefined : points.findLast((point) => point.task_id === task_id);
  if (ended !== undefined) {
    return {
      branch: null,
      base: null,
      head: null,
      from_tree: await treeOf(fleet, commitBefore(ended.number)),
      to_tree: await treeOf(fleet, ended.commit),
      notes: [],
    };
  }
  if (task_id !== undefined && task_id !== running) throw noCheckpoint(name, task_id);
  if (since !== undefined && since > points.length) throw noSuchNumber(since, points.length);
  const { look, files, notes } = await seen(work);
  return {
    branch: look.branch,
    base: null,
    head: look.head ?? null,
    from_tree: await treeOf(fleet, commitBefore((since ?? points.length) + 1)),
    to_tree: files.tree,
    notes,
  };
}

async function seen(work: WorkOf) {
  const { paths, launch } = work;
  const scratch = `diff-${randomUUID()}`;
  const repository = await agentRepository(work, scratch);
  try {
    const look = await repository.look();
    const files = await repository.snapshot(look);
    return { look, files, left: await repository.leftBase(look), notes: notesOf(work, look, files.left_out) };
  } catch (thrown) {
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${launch.name}" cannot be read: ${reasonOf(thrown)}`,
      { reason: 'workspace_unreadable' },
      thrown,
    );
  } finally {
    rmSync(join(paths.stage, scratch), { recursive: true, force: true });
  }
}

function notesOf({ plan }: WorkOf, { branch, head }: Look, left_out: readonly string[]): readonly string[] {
  const place = branch === null ? 'no branch' : `the branch ${branch}`;
  return [
    ...(head === undefined ? ['The agent has no commit checked out.'] : []),
    ...(branch === plan.branch ? [] : [`The agent has ${place} checked out, not ${plan.branch}.`]),
    ...left_out.map((path) => `${path} is not in the diff: it is too large.`),
  ];
}

async function checkThere(fleet: string, trees: readonly string[]): Promise<void> {
  for (const tree of trees) {
    if ((await git(fleet, ['cat-file', '-e', `${tree}^{tree}`])).ok) continue;
    throw new FleetError('INVALID_INPUT', 'The cursor has expired. Start again without it.', {
      field: 'cursor',
    });
  }
}

function checkInside(path: string): void {
  if (!isAbsolute(path) && normalize(path).split('/')[0] !== '..') return;
  throw new FleetError(
    'INVALID_INPUT',
    `The path ${quote(path)} is not in the repository: name files and directories from its top.`,
    { field: 'paths' },
  );
}

function noWorkspace(name: string): FleetError {
  return new FleetError('CONFLICT', `The agent "${name}" has no workspace yet. Wait until it is ready.`, {
    reason: 'no_workspace',
  });
}

function noCheckpoint(name: string, taskId: string): FleetError {
  return new FleetError(
    'NOT_FOUND',
    `There is no checkpoint of the task ${quote(taskId)} of agent "${name}". A task gets one when it ends.`,
    { field: 'task_id', reason: 'no_checkpoint' },
  );
}

function noSuchNumber(since: number, count: number): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `There is no checkpoint ${since}: the agent has ${count}, and 0 is its start.`,
    { field: 'since' },
  );
}
