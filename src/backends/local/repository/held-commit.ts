import { git, gitText } from '../../git/git.ts';
import { bringRef } from './bring-ref.ts';

/** The ref that holds the commit of a landing until its branch has it. */
function heldBy(land_id: string): string {
  return `refs/fleet/landings/${land_id}`;
}

/** Brings a commit of Fleet's repository into the project's, held by a ref. */
export async function holdCommit(fleet: string, lender: string, held: { land_id: string; commit: string }) {
  const ref = heldBy(held.land_id);
  await gitText(fleet, ['update-ref', ref, held.commit]);
  await bringRef(fleet, lender, { from: ref, to: ref });
}

/** Removes the refs that held a commit: it is part of its branch, or not needed. */
export async function letGo(fleet: string, lender: string, land_id: string): Promise<void> {
  await Promise.all(
    [lender, fleet].map((repository) => git(repository, ['update-ref', '-d', heldBy(land_id)])),
  );
}
