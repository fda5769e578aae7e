import { existsSync } from 'node:fs';
import type { Origin } from '../records/origin.ts';
import { bringRef } from './bring-ref.ts';
import { agentRefs, fleetRepository } from './fleet-repository.ts';
import { pin } from '../lender/pin.ts';
import { refAt } from './take-over.ts';

/** Shows the branch of an agent in the project's repository as it was last taken over. The
 *  next look at the agent's work reports a failure. */
export async function showAgain(home: string, { plan, launch }: Origin): Promise<void> {
  const { clone } = plan;
  if (clone === undefined || !existsSync(clone.lender)) return;
  const fleet = fleetRepository(home, clone);
  const { branch } = agentRefs(launch.workspace_id);
  try {
    const shown = await pin(clone.lender, {
      workspace_id: launch.workspace_id,
      published_as: clone.published_as,
      commits: [clone.start_commit, plan.base_commit],
    });
    if ((await refAt(fleet, branch)) !== null)
      await bringRef(fleet, clone.lender, { from: branch, to: shown });
  } catch {
    // It is shown when its work is looked at.
  }
}
