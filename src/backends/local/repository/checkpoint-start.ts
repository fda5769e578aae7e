import { FleetError } from '../../../domain/values/errors.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { gitText } from '../../git/git.ts';
import { unpin, PINS } from '../lender/pin.ts';
import type { ClonePlan } from '../records/workspace-plan.ts';
import { bringRef } from './bring-ref.ts';
import { checkpointsAt } from './checkpoints.ts';
import { agentRefs, fleetRepository } from './fleet-repository.ts';

export interface CheckpointStart {
  readonly commit: string;
  /** Where it comes from, for a person. */
  readonly name: string;
}

/** The agent whose checkpoint it is. */
export interface CheckpointSource {
  readonly clone: ClonePlan;
  readonly branch: string;
  readonly agent_name: string;
  /** Its workspace id. */
  readonly of: string;
}

/** Brings a checkpoint of an agent into the project's repository, for another agent to go on from: the commit that was
 *  checked out, and what was not committed as one commit on top of it. */
export async function checkpointStart(
  home: string,
  { clone, branch, agent_name, of }: CheckpointSource,
  { number, workspace_id }: { readonly number: number | undefined; readonly workspace_id: string },
): Promise<CheckpointStart> {
  const fleet = fleetRepository(home, clone);
  const points = await checkpointsAt(fleet, agentRefs(of).checkpoints);
  const point = number === undefined ? points.at(-1) : points[number - 1];
  if (point === undefined) throw noCheckpoint(agent_name, number, points.length);
  const head = (await headAt(fleet, point.commit, branch)) ?? clone.start_commit;
  const trees = await gitText(fleet, ['rev-parse', `${head}^{tree}`, `${point.commit}^{tree}`]);
  const [committed, files] = trees.split('\n');
  const name = `checkpoint ${point.number} of agent ${agent_name}`;
  const commit =
    committed === files
      ? head
      : await commitTree(fleet, {
          tree: `${point.commit}^{tree}`,
          parents: [head],
          message: `Uncommitted work of agent ${agent_name}\n\nAs it was at ${name}.`,
          // The same commit each time: a fork that is repeated finds what it made.
          env: { GIT_AUTHOR_DATE: point.created_at, GIT_COMMITTER_DATE: point.created_at },
        });
  const held = `refs/fleet/forks/${workspace_id}`;
  await gitText(fleet, ['update-ref', held, commit]);
  await bringRef(fleet, clone.lender, { from: held, to: `${PINS}/${workspace_id}` });
  await gitText(fleet, ['update-ref', '-d', held]);
  // The agent's repository pins it again when it is made: a request that is refused until then leaves nothing.
  await unpin(clone.lender, workspace_id);
  return { commit, name };
}

/** The commit of the agent's branch at a checkpoint: noted in a parent of it, with all that was taken over then. */
async function headAt(fleet: string, checkpoint: string, branch: string): Promise<string | undefined> {
  const parents = (await gitText(fleet, ['rev-list', '--max-count=1', '--parents', checkpoint]))
    .split(' ')
    .slice(1);
  for (const parent of parents) {
    const message = await gitText(fleet, ['log', '--max-count=1', '--format=%B', parent]);
    if (!message.startsWith('What was taken over')) continue;
    const tips = new Map(
      message.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0] ?? '']),
    );
    return tips.get(`refs/heads/${branch}`) ?? tips.get('HEAD');
  }
  return undefined;
}

function noCheckpoint(name: string, number: number | undefined, count: number): FleetError {
  return new FleetError(
    number === undefined ? 'CONFLICT' : 'INVALID_INPUT',
    number === undefined
      ? `The agent "${name}" has no checkpoint yet. It gets one when a task ends.`
      : `There is no checkpoint ${number}: the agent "${name}" has ${count}.`,
    { field: 'checkpoint', reason: 'no_checkpoint' },
  );
}
