import { existsSync, renameSync } from 'node:fs';
import { removeTree } from '../../../platform/remove-tree.ts';
import { gitText } from '../../git/git.ts';
import type { ClonePlan } from '../records/workspace-plan.ts';
import { fleetRepository, fleetRepositoryPath, setLender } from './fleet-repository.ts';

/** Brings Fleet's own repository along when the project's was moved: its place is named after that one. Doing it again is
 *  harmless. */
export async function moveFleetRepository(home: string, from: ClonePlan, to: ClonePlan): Promise<void> {
  const before = fleetRepositoryPath(home, from.lender);
  const after = fleetRepositoryPath(home, to.lender);
  if (before === after || !existsSync(before)) return;
  setLender(before, to.lender);
  if (!existsSync(after)) return renameSync(before, after);
  // Agents that were made since the move have one there.
  const into = fleetRepository(home, to);
  await gitText(
    into,
    ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', before, '+refs/agents/*:refs/agents/*'],
    {
      env: { GIT_ALLOW_PROTOCOL: 'file' },
    },
  );
  removeTree(before);
}
