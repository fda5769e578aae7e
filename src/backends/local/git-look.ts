import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitFacts } from '../../domain/agent.ts';
import { remoteAddress } from '../../domain/remote-address.ts';
import { borrowGit, type BorrowedGit } from './borrowed-git.ts';
import { findWorktree, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';
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
      borrowed.try(['status', '--porcelain=v2', '-z', '--untracked-files=normal', WITHOUT_SUBMODULES]),
      apart(plan, place.common, head),
    ]);
    if (!status.ok) return null;
    const entries = status.stdout
      .toString()
      .split('\0')
      .filter((entry) => entry !== '');
    const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
    const { subject, said } = await this.#numbers(borrowed, head, entries.length > untracked);
    const remote = borrowed.origin === undefined ? undefined : remoteAddress(borrowed.origin);
    return {
      branch: head.branch?.replace('refs/heads/', '') ?? null,
      base: plan.base_name,
      ahead,
      behind,
      changed_files: numberBefore(said, / files? changed/) + untracked,
      insertions: numberBefore(said, / insertions?\(\+\)/),
      deletions: numberBefore(said, / deletions?\(-\)/),
      dirty: entries.length > 0,
      last_commit: subject,
      ...(remote === undefined ? {} : { remote }),
    };
  }

  async #numbers(borrowed: BorrowedGit, { commit }: Head, modified: boolean): Promise<Committed> {
    if (this.#known !== undefined && this.#known.commit === commit && !modified) return this.#known;
    const [numbers, log] = await Promise.all([
      borrowed.try([...SHORTSTAT, this.#plan.base_commit]),
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

/** Git would look into a submodule by a git of its own, with the configuration that the agent wrote there. */
const WITHOUT_SUBMODULES = '--ignore-submodules=dirty';

const SHORTSTAT = ['diff', '--no-ext-diff', '--no-textconv', '--shortstat', WITHOUT_SUBMODULES];

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

function numberBefore(text: string, what: RegExp): number {
  return Number(new RegExp(`(\\d+)${what.source}`).exec(text)?.[1] ?? 0);
}
