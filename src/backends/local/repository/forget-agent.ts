import { git, gitText } from '../../git/git.ts';
import type { ClonePlan } from '../records/workspace-plan.ts';
import { agentRefs, fleetRepository } from './fleet-repository.ts';
import { unpin } from '../lender/pin.ts';

/** Lets go of all that was borrowed for an agent and taken over from it, when nothing needs it any more. */
export async function forgetAgent(home: string, clone: ClonePlan, workspaceId: string): Promise<void> {
  await unpin(clone.lender, workspaceId);
  const fleet = fleetRepository(home, clone);
  const { stdout } = await git(fleet, [
    'for-each-ref',
    '--format=delete %(refname)',
    agentRefs(workspaceId).own,
  ]);
  if (stdout !== '') await gitText(fleet, ['update-ref', '--stdin'], { input: stdout });
}
