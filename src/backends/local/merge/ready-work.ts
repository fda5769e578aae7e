import { existsSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { landConflict, namedPaths, type LandOptions } from '../../../domain/merge/landing.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { reasonOf } from '../repository/agent-work.ts';
import { changedPaths } from '../repository/checkpoint.ts';
import type { Look } from '../reading/look.ts';
import { agentRepository, type WorkOf } from '../workspace/agent-work-of.ts';

export interface ReadyWork {
  /** Fleet's own repository, which has the commits. */
  readonly fleet: string;
  /** What is landed: the tip of the agent's branch, or a commit of its uncommitted work on top of it. */
  readonly commit: string;
  /** The tip of the agent's branch. */
  readonly head: string;
  /** Sentences about what is not landed. */
  readonly notes: readonly string[];
}

/** Takes over the newest commits of an agent and decides what of its work is landed or published. */
export async function readyWork(
  work: WorkOf,
  { head: reviewed, uncommitted }: Pick<LandOptions, 'head' | 'uncommitted'>,
): Promise<ReadyWork> {
  const { plan, paths, launch } = work;
  if (!existsSync(plan.directory))
    throw new FleetError(
      'CONFLICT',
      `The agent "${launch.name}" has no workspace yet. Wait until it is ready.`,
      {
        reason: 'no_workspace',
      },
    );
  const scratch = `land-${randomUUID()}`;
  const repository = await agentRepository(work, scratch);
  try {
    const look = await readable(launch.name, async () => {
      const seen = await repository.look();
      await repository.takeOver(seen);
      return seen;
    });
    const head = look.tips.find(({ name }) => name === `refs/heads/${plan.branch}`)?.commit;
    if (head === undefined)
      throw landConflict('head_moved', `The agent "${launch.name}" no longer has its branch ${plan.branch}.`);
    if (reviewed !== undefined && !head.startsWith(reviewed))
      throw landConflict(
        'head_moved',
        `The branch of agent "${launch.name}" is at ${head.slice(0, 12)}, not at ${reviewed.slice(0, 12)}: it has moved since it was reviewed.`,
        { head },
      );
    const fleet = repository.arrived.repository;
    const dirty = changedPaths(look.status).map((path) => Buffer.from(path, 'latin1').toString());
    const notes = elsewhere(look, plan.branch);
    if (dirty.length === 0 || uncommitted === 'leave') {
      const left = dirty.length === 0 ? [] : [`Uncommitted work was left out: ${namedPaths(dirty)}.`];
      return { fleet, commit: head, head, notes: [...notes, ...left] };
    }
    if (uncommitted === 'refuse' || look.head !== head) throw uncommittedWork(launch.name, dirty);
    const snapshot = await readable(launch.name, () => repository.snapshot(look));
    const commit = await commitTree(fleet, {
      tree: snapshot.tree,
      parents: [head],
      message: `Uncommitted work of agent ${launch.name}`,
    });
    const large = snapshot.left_out.map((path) => `${path} was left out: it is too large.`);
    return { fleet, commit, head, notes: [...notes, ...large] };
  } finally {
    rmSync(join(paths.stage, scratch), { recursive: true, force: true });
  }
}

async function readable<Result>(agentName: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${agentName}" cannot be read: ${reasonOf(thrown)}`,
      { reason: 'workspace_unreadable' },
      thrown,
    );
  }
}

function elsewhere({ branch }: Look, own: string): readonly string[] {
  if (branch === own) return [];
  const place = branch === null ? 'no branch' : `the branch ${branch}`;
  return [`The agent has ${place} checked out; only commits of ${own} were taken.`];
}

function uncommittedWork(agentName: string, paths: readonly string[]): FleetError {
  return landConflict(
    'uncommitted',
    `The agent "${agentName}" has uncommitted work: ${namedPaths(paths)}. Set uncommitted to include or leave, or ask it to commit.`,
    { field: 'uncommitted', paths },
  );
}
