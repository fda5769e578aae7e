import type { CheckpointView } from '../../../domain/merge/checkpoint-view.ts';
import { gitText } from '../../git/git.ts';
import { gitNumbers } from '../../git/git-numbers.ts';
import { checkpointsAt } from '../repository/checkpoints.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import type { WorkOf } from './agent-work-of.ts';
import { clonePlanOf } from './plan-workspace.ts';

/** The checkpoints of an agent, oldest first, each with what changed since the one before. */
export async function listCheckpoints({ home, plan, launch }: WorkOf): Promise<readonly CheckpointView[]> {
  const clone = await clonePlanOf(plan, launch.name);
  const fleet = fleetRepository(home, clone);
  const points = await checkpointsAt(fleet, agentRefs(launch.workspace_id).checkpoints);
  const views: CheckpointView[] = [];
  let before = clone.start_commit;
  for (const { number, task_id, commit, created_at, left_out } of points) {
    const text = await gitText(fleet, [
      'diff-tree',
      '--shortstat',
      '--no-ext-diff',
      '--no-textconv',
      before,
      commit,
    ]);
    const { changed_files: files, insertions, deletions } = gitNumbers('', text);
    views.push({ number, task_id, commit, created_at, files, insertions, deletions, left_out });
    before = commit;
  }
  return views;
}
