import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { bareGitEnvironment } from '../../git/git-environment.ts';
import { runGit, type GitOutput } from '../../git/run-git.ts';

/** The outcome of a merge that no checkout was needed for. */
export type Merged =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly paths: readonly string[] }
  | { readonly clean: false; readonly unrelated: true; readonly paths: readonly [] };

type Pair = readonly [string, string];

/** Starting a process costs about as much as this many merges. */
const FEWEST_PAIRS = 10;
const MOST_AT_ONCE = 4;

/** Merges commits in Fleet's own repository. Attributes are those of one commit, and no merge driver or filter is
 *  configured there, so that a merge runs nothing but git. */
export class MergeTrees implements Disposable {
  readonly #fleet: string;
  readonly #scratch: string;

  private constructor(fleet: string, scratch: string) {
    this.#fleet = fleet;
    this.#scratch = scratch;
  }

  /** @param attributesOf the commit whose `.gitattributes` count */
  static async open(fleet: string, attributesOf: string): Promise<MergeTrees> {
    const scratch = join(fleet, `merge-${randomUUID()}`);
    mkdirSync(scratch, { mode: 0o700 });
    const merges = new MergeTrees(fleet, scratch);
    try {
      await merges.#writeAttributes(attributesOf);
      return merges;
    } catch (thrown) {
      merges[Symbol.dispose]();
      throw thrown;
    }
  }

  async merge(ours: string, theirs: string): Promise<Merged> {
    const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
    const { ok, stdout, stderr } = await this.#git(args);
    const [tree = '', ...rest] = stdout.toString().split('\0');
    if (ok) return { clean: true, tree: tree.trim() };
    if (isUnrelated(stderr)) return { clean: false, unrelated: true, paths: [] };
    if (!/^[0-9a-f]{40,64}$/.test(tree.trim())) throw mergeProblem(stderr);
    return { clean: false, paths: unique(rest) };
  }

  /** Many pairs by one process for each core; none of them may be unrelated. */
  async mergeAll(pairs: readonly Pair[]): Promise<readonly Merged[]> {
    const size = Math.max(
      FEWEST_PAIRS,
      Math.ceil(pairs.length / Math.min(availableParallelism(), MOST_AT_ONCE)),
    );
    const parts = Array.from({ length: Math.ceil(pairs.length / size) }, (_, part) =>
      this.#mergePart(pairs.slice(part * size, (part + 1) * size)),
    );
    return (await Promise.all(parts)).flat();
  }

  async #mergePart(pairs: readonly Pair[]): Promise<readonly Merged[]> {
    const input = Buffer.from(pairs.map((pair) => `${pair.join(' ')}\n`).join(''));
    const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', '--stdin'];
    const { ok, stdout, stderr } = await this.#git(args, input);
    const results = readResults(stdout.toString());
    if (ok && results.length === pairs.length) return results;
    if (!isUnrelated(stderr)) throw mergeProblem(stderr);
    const each: Merged[] = [];
    for (const pair of pairs) each.push(await this.merge(...pair));
    return each;
  }

  [Symbol.dispose](): void {
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  /** An empty file says that there are none: git would look at those of the other side otherwise. */
  async #writeAttributes(commit: string): Promise<void> {
    const { ok, stdout, stderr } = await this.#git(['ls-tree', '-r', '-z', '--name-only', commit]);
    if (!ok) throw mergeProblem(stderr);
    writeFileSync(join(this.#scratch, ATTRIBUTES), '');
    const files = stdout
      .toString()
      .split('\0')
      .filter((path) => path === ATTRIBUTES || path.endsWith(`/${ATTRIBUTES}`));
    for (const path of files) {
      const blob = await this.#git(['cat-file', 'blob', `${commit}:${path}`]);
      mkdirSync(join(this.#scratch, dirname(path)), { recursive: true });
      if (blob.ok) writeFileSync(join(this.#scratch, path), blob.stdout);
    }
  }

  #git(args: readonly string[], input?: Buffer): Promise<GitOutput> {
    return runGit(['-C', this.#scratch, ...args], {
      env: { ...bareGitEnvironment(this.#fleet), GIT_DIR: this.#fleet, GIT_WORK_TREE: this.#scratch },
      ...(input === undefined ? {} : { input }),
    });
  }
}

const ATTRIBUTES = '.gitattributes';

/** For each pair `1` or `0` for a clean merge, the tree, and the paths in conflict, each ended by NUL, then one more NUL. */
function readResults(text: string): readonly Merged[] {
  const results: Merged[] = [];
  const words = text.split('\0');
  for (let at = 0; at + 1 < words.length;) {
    const clean = words[at] === '1';
    const tree = words[at + 1] ?? '';
    at += 2;
    const paths: string[] = [];
    while (at < words.length && words[at] !== '') paths.push(words[at++] ?? '');
    at++;
    results.push(clean ? { clean, tree } : { clean, paths: unique(paths) });
  }
  return results;
}

function isUnrelated(stderr: string): boolean {
  return stderr.includes('unrelated histories');
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.filter((path) => path !== ''))];
}

/** git failed for another reason than a conflict. */
export function mergeProblem(stderr: string): FleetError {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return new FleetError('SERVICE_UNAVAILABLE', `The merge could not be made: ${said}`, {
    reason: 'merge_failed',
  });
}
