import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitFacts } from '../../domain/agent.ts';
import { remoteAddress } from '../../domain/remote-address.ts';
import { borrowGit, type BorrowedGit } from './borrowed-git.ts';
import { findWorktree, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';
import { countEntries, gitNumbers, GIT_SHORTSTAT, GIT_STATUS } from './git-numbers.ts';
import { headOf, type Head } from './head-of.ts';
import type { WorktreePlan } from './worktree-plan.ts';

/** Looks where an agent's work stands against its base. What is true of a commit is asked once. */
export class GitLook {
  readonly #plan: WorktreePlan;
  readonly #scratch: string;
  #known: Committed | undefined;

  constructor(plan: WorktreePlan, scratch: string) {
    this.#plan = plan;
    this.#scratch = scratch;
  }

  /** Null when the worktree cannot be read. */
  async facts(): Promise<GitFacts | null> {
    try {
      return await this.#look();
    } catch {
      return null;
    }
  }

  async #look(): Promise<GitFacts | null> {
    const plan = this.#plan;
    const place = await findWorktree(plan);
    if (place.files === undefined || place.admin === undefined) return null;
    const head = await headOf(place, []);
    using borrowed = await borrowGit({ ...place, scratch: this.#scratch });
    if (head.commit !== undefined) writeFileSync(join(borrowed.directory, 'HEAD'), `${head.commit}\n`);
    const [status, [behind, ahead]] = await Promise.all([
      borrowed.try(GIT_STATUS),
      apart(plan, place.common, head),
    ]);
    if (!status.ok) return null;
    const text = status.stdout.toString();
    const { subject, said } = await this.#committed(borrowed, head, countEntries(text).tracked > 0);
    const remote = borrowed.origin === undefined ? undefined : remoteAddress(borrowed.origin);
    return {
      branch: head.branch?.replace('refs/heads/', '') ?? null,
      base: plan.base_name,
      ahead,
      behind,
      ...gitNumbers(text, said),
      last_commit: subject,
      ...(remote === undefined ? {} : { remote }),
    };
  }

  async #committed(borrowed: BorrowedGit, { commit }: Head, modified: boolean): Promise<Committed> {
    if (this.#known !== undefined && this.#known.commit === commit && !modified) return this.#known;
    const [numbers, log] = await Promise.all([
      borrowed.try([...GIT_SHORTSTAT, this.#plan.base_commit]),
      borrowed.try(['log', '-1', '--format=%h %s']),
    ]);
    const subject = log.ok ? log.stdout.toString().trim() : null;
    const asked = { commit, subject, said: numbers.stdout.toString() };
    if (!modified && numbers.ok) this.#known = asked;
    return asked;
  }
}

/** What is true while no file is other than in the commit. */
interface Committed {
  readonly commit: string | undefined;
  readonly subject: string | null;
  /** The numbers of `git diff --shortstat` against the base. */
  readonly said: string;
}

/** How many commits it is behind and ahead of what the base is now; when that is gone, of the recorded commit. */
async function apart(
  { base_name, base_commit }: WorktreePlan,
  common: string,
  { commit }: Head,
): Promise<[number, number]> {
  if (commit === undefined) return [0, 0];
  const env = gitDirectoryEnvironment(common);
  const count = (base: string) =>
    git(common, ['rev-list', '--left-right', '--count', `${base}...${commit}`, '--'], { env });
  const now = await count(`refs/heads/${base_name}`);
  const { stdout } = now.ok ? now : await count(base_commit);
  const [behind, ahead] = stdout.trim().split(/\s+/).map(Number);
  return [behind ?? 0, ahead ?? 0];
}
