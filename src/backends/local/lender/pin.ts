import { existsSync } from 'node:fs';
import { git, gitProblem, gitText } from '../../git/git.ts';
import { commitTree } from '../../git/commit-tree.ts';

/** Where the project's repository notes what an agent borrows of it: `git gc` leaves that alone. */
export const PINS = 'refs/fleet/pins';

export interface PinOwner {
  readonly workspace_id: string;
  /** The ref that its branch is shown as, unless an agent of another home has that name. */
  readonly published_as: string;
}

export interface Pinning extends PinOwner {
  /** Its branch first. */
  readonly commits: readonly [string, ...string[]];
}

/** Pins commits, and all that they are made of, for an agent, and shows its branch. Returns the ref that it is shown as,
 *  which the pin's message names, so that no two agents can have the same one. Doing it again is harmless. */
export async function pin(lender: string, { commits, ...owner }: Pinning): Promise<string> {
  const shown = await shownAs(lender, owner);
  if (shown !== undefined) return setBoth(lender, owner, { commits, action: 'update', name: shown });
  try {
    return await setBoth(lender, owner, { commits, action: 'create', name: owner.published_as });
  } catch {
    return setBoth(lender, owner, { commits, action: 'update', name: nameWithId(owner) });
  }
}

interface Setting {
  readonly commits: Pinning['commits'];
  readonly action: 'create' | 'update';
  readonly name: string;
}

async function setBoth(
  lender: string,
  { workspace_id }: PinOwner,
  { commits, action, name }: Setting,
): Promise<string> {
  const commit = await commitTree(lender, {
    tree: `${commits[0]}^{tree}`,
    parents: [...new Set(commits)],
    message: name,
  });
  const lines = [`update ${PINS}/${workspace_id} ${commit}`, `${action} ${name} ${commits[0]}`];
  await gitText(lender, ['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` });
  return name;
}

/** The ref that an agent's branch is shown as; undefined when it is not shown. */
export async function shownAs(lender: string, owner: PinOwner): Promise<string | undefined> {
  const pinned = `${PINS}/${owner.workspace_id}`;
  const named = await gitText(lender, ['for-each-ref', '--format=%(contents:subject)', pinned]);
  return [owner.published_as, nameWithId(owner)].find((name) => name === named);
}

/** Takes the branch of an agent out of sight. What it borrows stays pinned. Doing it again is harmless. */
export async function unshow(lender: string, owner: PinOwner): Promise<void> {
  const shown = await shownAs(lender, owner);
  if (shown === undefined) return;
  const pinned = `${PINS}/${owner.workspace_id}`;
  const parents = await gitText(lender, ['rev-parse', `${pinned}^@`]);
  const commit = await commitTree(lender, {
    tree: `${pinned}^{tree}`,
    parents: parents.split('\n'),
    message: 'Not shown',
  });
  await gitText(lender, ['update-ref', '--stdin'], {
    input: `update ${pinned} ${commit}\ndelete ${shown}\n`,
  });
}

/** Does nothing for a repository that is gone: then nothing of it is pinned. */
export async function unpin(lender: string, workspaceId: string): Promise<void> {
  if (!existsSync(lender)) return;
  const args = ['update-ref', '-d', `${PINS}/${workspaceId}`];
  const { ok, stderr } = await git(lender, args);
  if (!ok) throw gitProblem(args, stderr);
}

function nameWithId({ published_as, workspace_id }: PinOwner): string {
  return `${published_as}-${workspace_id.slice(0, 8)}`;
}
