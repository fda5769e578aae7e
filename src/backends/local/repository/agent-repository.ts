import { join } from 'node:path';
import { git, gitProblem, gitText } from '../../git/git.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import type { AgentPaths } from '../records/paths.ts';
import { baseRef, type ClonePlan, type WorkspacePlan } from '../records/workspace-plan.ts';
import { bringRef } from './bring-ref.ts';
import { takeCheckpoint, type Checkpoint } from './checkpoint.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { agentRefs, fleetRepository } from './fleet-repository.ts';
import { lenderProblem } from '../lender/lender-problem.ts';
import { LastLook, type LeftBase, type SeenFiles } from '../reading/last-look.ts';
import { look, lookContext, type LandedAs, type Look } from '../reading/look.ts';
import { isPartialClone, packedHow } from './partial-clone.ts';
import { pin, shownAs } from '../lender/pin.ts';
import { Reader } from '../reading/reader.ts';
import { takeLargeFiles } from './take-large-files.ts';
import { isPart, mergeBase, treeOf } from '../../git/commits.ts';
import { checkWhole, moveRef, refAt, takePack } from './take-over.ts';

export interface AgentRepositoryParts {
  readonly home: string;
  readonly paths: AgentPaths;
  readonly plan: WorkspacePlan;
  readonly clone: ClonePlan;
  readonly workspace_id: string;
  readonly contained: boolean;
  /** See `Reader`. */
  readonly scratch?: string;
}

const LOOK_LIMIT_MS = 20_000;
const PACK_LIMIT_MS = 120_000;

const PACK = `
export GIT_DIR=$PWD/.git GIT_ALTERNATE_OBJECT_DIRECTORIES=$1
exec git pack-objects --revs --stdout --delta-base-offset -q "$2"
`;

/** An agent's repository, read from outside, and what of it was taken over into Fleet's and the project's. */
export class AgentRepository {
  readonly #parts: AgentRepositoryParts;
  readonly #fleet: string;
  readonly #reader: Reader;
  readonly #refs: ReturnType<typeof agentRefs>;
  readonly #last: LastLook;
  /** All of them are whole in Fleet's repository. */
  #known: ReadonlySet<string> | undefined;
  #before: ReadonlyMap<string, string> = new Map();
  #base: string | null = null;
  #landed: LandedAs | undefined;
  #shownAs: string | undefined;
  #partial: Promise<boolean> | undefined;

  constructor(parts: AgentRepositoryParts) {
    const { home, paths, plan, clone, workspace_id, contained, scratch } = parts;
    this.#parts = parts;
    this.#fleet = fleetRepository(home, clone);
    this.#refs = agentRefs(workspace_id);
    this.#last = new LastLook(paths.lastLook, plan.directory);
    this.#reader = new Reader({
      home,
      paths,
      plan,
      workspace_id,
      lenders: [clone.lender, this.#fleet],
      contained,
      ...(scratch === undefined ? {} : { scratch }),
    });
  }

  /** Throws when it cannot be read. */
  async look(): Promise<Look> {
    const { plan, clone } = this.#parts;
    const problem = lenderProblem(plan.repository, clone.lender);
    if (problem !== undefined) throw new Error(problem);
    // Also where the last look would do: what is refused must not depend on it.
    this.#reader.checkContainment();
    // Read first: a process that has taken over more since then has looked later.
    const [{ refs, landed }, base] = await Promise.all([this.#noted(), refAt(clone.lender, baseRef(plan))]);
    this.#before = refs;
    this.#base = base;
    const isThere = base !== null && landed !== undefined && (await isPart(this.#fleet, landed.after, base));
    this.#landed = isThere ? landed : undefined;
    const looked = { plan, lender: clone.lender, landed: this.#landed };
    const now = (): Promise<Look> => look(this.#reader, looked, LOOK_LIMIT_MS);
    if (plan.clone !== undefined) return this.#last.look(lookContext(plan, base, this.#landed), now);
    const found = await now();
    // The branches and the stashes of a worktree are those of the project's repository.
    const own = ['HEAD', `refs/heads/${plan.branch}`];
    return { ...found, tips: found.tips.filter(({ name }) => own.includes(name)) };
  }

  /** Takes over the commits of all branches, of the stashes and of HEAD; the agent's branch is shown in the project's
   *  repository. Does nothing when nothing is new. */
  async takeOver({ tips, head }: Look): Promise<void> {
    const { plan } = this.#parts;
    const [known, published] = await allEnded([this.#knownTips(), this.#published()]);
    const commits = [...new Set(tips.map(({ commit }) => commit))];
    const branch = tips.find(({ name }) => name === `refs/heads/${plan.branch}`)?.commit ?? head;
    const fresh = commits.filter((commit) => !known.has(commit));
    if (fresh.length === 0 && branch === published) return;
    if (fresh.length > 0) {
      await this.#takeCommits(fresh, known);
      await this.#takeLargeFiles(fresh, [...known]);
    }
    await this.#note(tips, branch);
    this.#known = new Set([...this.#start(), ...commits]);
    if (branch !== undefined) await this.#publish();
  }

  async #takeCommits(fresh: readonly string[], known: ReadonlySet<string>): Promise<void> {
    const lines = [...fresh, '--not', ...known].map((line) => `${line}\n`);
    const partial = await this.#isPartial();
    const { pack } = await takePack(this.#reader, {
      script: PACK,
      args: [join(this.#fleet, 'objects'), packedHow(partial)],
      input: Buffer.from(lines.join('')),
      limit_ms: PACK_LIMIT_MS,
      into: this.#fleet,
      partial,
      known: [...known],
    });
    await checkWhole(this.#fleet, { commits: fresh, known: [...known], pack, partial });
  }

  /** Brings the commit that is checked out, and the files as they are, into Fleet's repository, for somebody who looks. No
   *  ref changes. */
  async snapshot(seen: Look): Promise<SeenFiles> {
    const { plan, clone } = this.#parts;
    const before = this.#last.filesOf(seen);
    if (before !== undefined && (await this.#hasTree(before.tree))) return before;
    const known = await this.#knownTips();
    const fresh = seen.head === undefined || known.has(seen.head) ? [] : [seen.head];
    if (fresh.length > 0) await this.#takeCommits(fresh, known);
    const { commit, left_out } = await takeCheckpoint(this.#reader, {
      plan,
      clone,
      fleet: this.#fleet,
      look: seen,
      parents: [],
      known: [...known, ...fresh],
      about: 'The files as they were looked at',
      limit_ms: PACK_LIMIT_MS,
      partial: await this.#isPartial(),
    });
    const files = { tree: await treeOf(this.#fleet, commit), left_out };
    this.#last.keepFiles(seen, files);
    return files;
  }

  /** Notes the state of the files in Fleet's repository, after the checkpoint before. */
  async checkpoint(about: string, seen: Look): Promise<Checkpoint> {
    const { plan, clone } = this.#parts;
    const [before = null, all = null] = await Promise.all(
      [this.#refs.checkpoints, this.#refs.all].map((ref) => refAt(this.#fleet, ref)),
    );
    const made = await takeCheckpoint(this.#reader, {
      plan,
      clone,
      fleet: this.#fleet,
      partial: await this.#isPartial(),
      look: seen,
      parents: [before, all].filter((commit) => commit !== null),
      known: [...(await this.#knownTips())],
      about,
      limit_ms: PACK_LIMIT_MS,
    });
    await moveRef(this.#fleet, this.#refs.checkpoints, { from: before, to: made.commit });
    return made;
  }

  /** Where the work that was seen left the base of the project, as that was at the look. */
  async leftBase(seen: Look): Promise<LeftBase> {
    const known = this.#last.leftOf(seen);
    if (known !== undefined) return known;
    const { plan } = this.#parts;
    const commit =
      seen.head === undefined
        ? undefined
        : ((await this.#landedIn(seen.head)) ??
          (await mergeBase(this.#fleet, seen.head, this.#base ?? plan.base_commit)));
    const left = {
      commit: commit ?? plan.base_commit,
      tree: await treeOf(this.#fleet, commit ?? plan.base_commit),
    };
    if (commit !== undefined) this.#last.keepLeft(seen, left);
    return left;
  }

  /** What a commit has of its work that the base has in another form. */
  async #landedIn(commit: string): Promise<string | undefined> {
    const landed = this.#landed;
    if (landed === undefined || (await isPart(this.#fleet, landed.after, commit))) return undefined;
    return (await isPart(this.#fleet, landed.head, commit)) ? landed.head : undefined;
  }

  async #hasTree(tree: string): Promise<boolean> {
    return (await git(this.#fleet, ['cat-file', '-e', `${tree}^{tree}`])).ok;
  }

  async #takeLargeFiles(commits: readonly string[], known: readonly string[]): Promise<void> {
    const { plan, clone } = this.#parts;
    const missing = await takeLargeFiles(this.#reader, {
      fleet: this.#fleet,
      commits,
      known,
      from: join(plan.directory, '.git'),
      to: clone.lender,
      limit_ms: PACK_LIMIT_MS,
    });
    if (missing.length > 0)
      throw new Error(`files of Git LFS are not there, or not as its commits say: ${missing.join(', ')}`);
  }

  /** Fleet's repository, and where in it this agent's work is. */
  get arrived() {
    return { repository: this.#fleet, ...this.#refs };
  }

  async #note(tips: Look['tips'], branch: string | undefined): Promise<void> {
    const [first] = tips;
    if (first === undefined) return;
    const names = tips.map(({ name, commit }) => `${commit} ${name}`).join('\n');
    const parents = [...new Set(tips.map(({ commit }) => commit))];
    const all = await commitTree(this.#fleet, {
      tree: `${first.commit}^{tree}`,
      parents,
      message: `What was taken over\n\n${names}`,
    });
    const move = (ref: string, to: string): string =>
      `update ${ref} ${to} ${this.#before.get(ref) ?? '0'.repeat(to.length)}`;
    const lines = [
      move(this.#refs.all, all),
      ...(branch === undefined ? [] : [move(this.#refs.branch, branch)]),
    ];
    const args = ['update-ref', '--stdin'];
    const { ok, stderr } = await git(this.#fleet, args, { input: `${lines.join('\n')}\n` });
    if (ok) return;
    const { refs } = await this.#noted();
    const moved = [...refs].some(([ref, commit]) => this.#before.get(ref) !== commit);
    // Another process has taken over work that it saw later.
    if (!moved) throw gitProblem(args, stderr);
  }

  /** Where the refs of what was taken over are, and what of it was landed in another form. */
  async #noted(): Promise<{
    readonly refs: ReadonlyMap<string, string>;
    readonly landed: LandedAs | undefined;
  }> {
    const { all, branch, landed_as } = this.#refs;
    const format = '--format=%(refname) %(objectname) %(parent)';
    const listed = await gitText(this.#fleet, ['for-each-ref', format, all, branch, landed_as]);
    const lines = listed.split('\n').map((line) => line.split(' '));
    const [, , head, after] = lines.find(([name]) => name === landed_as) ?? [];
    return {
      refs: new Map(
        lines
          .filter(([name]) => name === all || name === branch)
          .map(([name = '', commit = '']) => [name, commit]),
      ),
      landed: head === undefined || after === undefined ? undefined : { head, after },
    };
  }

  #start(): readonly [string, string] {
    const { plan, clone } = this.#parts;
    return [clone.start_commit, plan.base_commit];
  }

  async #knownTips(): Promise<ReadonlySet<string>> {
    if (this.#known === undefined) {
      const { ok, stdout } = await git(this.#fleet, ['rev-parse', `${this.#refs.all}^@`]);
      const before = ok ? stdout.split('\n').filter((line) => line !== '') : [];
      this.#known = new Set([...this.#start(), ...before]);
    }
    return this.#known;
  }

  #isPartial(): Promise<boolean> {
    return (this.#partial ??= isPartialClone(this.#parts.clone.lender));
  }

  async #published(): Promise<string | null> {
    const { plan, clone } = this.#parts;
    return plan.clone === undefined ? null : refAt(clone.lender, await this.#shown());
  }

  async #shown(): Promise<string> {
    const { clone, workspace_id } = this.#parts;
    const owner = { workspace_id, published_as: clone.published_as };
    this.#shownAs ??=
      (await shownAs(clone.lender, owner)) ?? (await pin(clone.lender, { ...owner, commits: this.#start() }));
    return this.#shownAs;
  }

  /** Nothing of the agent's own repository is in the way here: what is fetched was checked when it arrived. */
  async #publish(): Promise<void> {
    const { plan, clone } = this.#parts;
    if (plan.clone !== undefined)
      await bringRef(this.#fleet, clone.lender, { from: this.#refs.branch, to: await this.#shown() });
  }
}
