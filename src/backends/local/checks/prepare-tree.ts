import { appendFileSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell } from '../../../platform/processes/cell.ts';
import { removeTree } from '../../../platform/remove-tree.ts';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { Interruption } from '../../../runner/programs/interruption.ts';
import { runProgram, type Exit } from '../../../runner/programs/run-program.ts';
import { gitEnvironment } from '../../git/git-environment.ts';
import { copyFiles } from '../workspace/copy-files.ts';
import { problemOf } from '../workspace/local-workspace.ts';
import { checkCell, checkVariables, makeTemporary } from './check-cell.ts';
import type { CheckPlace } from './check-place.ts';
import { makeCheckout } from './make-checkout.ts';
import { OutputTail } from './output-tail.ts';
import type { TreePaths } from './tree-paths.ts';

const SETUP_LIMIT_MS = 30 * 60_000;
const STEP_LIMIT_MS = 10 * 60_000;
const KILL_STEP_MS = 500;
/** Tracked and untracked files; what is ignored stays, such as installed packages. */
const RESET = 'git reset --hard --quiet && git clean -ffdq';

export interface TreeParts {
  readonly place: CheckPlace;
  readonly paths: TreePaths;
  readonly tree: string;
  /** Finds all processes that run in the tree. */
  readonly marker: string;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** A clean checkout in which checks run. Nobody else uses it meanwhile. */
export class PreparedTree {
  readonly #parts: TreeParts;
  readonly #cell: Cell | null;
  readonly #env: Readonly<Record<string, string>>;
  /** True when nothing has run in it since its files were written. */
  #isFresh = false;

  private constructor(parts: TreeParts, cell: Cell | null, env: Readonly<Record<string, string>>) {
    this.#parts = parts;
    this.#cell = cell;
    this.#env = env;
  }

  /** Throws when the tree cannot be prepared. */
  static async open(parts: TreeParts): Promise<PreparedTree> {
    const { paths, place } = parts;
    const tree = new PreparedTree(
      parts,
      place.contained === false ? null : checkCell(place, paths),
      await checkVariables(place),
    );
    makeTemporary(paths);
    if (!existsSync(paths.ready)) await tree.#prepare();
    return tree;
  }

  /** Runs a program in the tree as it was checked out and set up. */
  async run(
    command: readonly string[],
    limit_ms: number,
    env: Readonly<Record<string, string>>,
  ): Promise<Ran> {
    const { paths } = this.#parts;
    if (!this.#isFresh && !(await this.#reset())) {
      await this.#prepare();
      if (!this.#isFresh && !(await this.#reset()))
        throw new Error('git could not restore the files of the tree');
    }
    makeTemporary(paths);
    this.#isFresh = false;
    return this.#run(command, { limit_ms, env });
  }

  async #prepare(): Promise<void> {
    const { place, paths, tree, progress } = this.#parts;
    const { setup, repository, copy } = place.plan;
    removeTree(paths.ready);
    for (const directory of [paths.work, paths.git]) removeTree(directory);
    progress('preparing the tree');
    const { needs_programs } = await makeCheckout(place, tree, paths);
    // Nothing in it was written by anyone else yet: git needs a sandbox only for programs that it starts.
    const written = await this.#run(['git', 'reset', '--hard', '--quiet'], { open: !needs_programs });
    if (written.problem !== undefined)
      throw new Error(`git could not write the files of the tree: ${written.output}`);
    cpSync(join(paths.work, '.git'), paths.git, { recursive: true, preserveTimestamps: true });
    copyFiles({ repository, directory: paths.work, copy }, (_, message) => progress(message));
    if (setup !== null) {
      progress(`set-up: ${setup.join(' ')}`);
      const { problem, output } = await this.#run(setup, { limit_ms: SETUP_LIMIT_MS });
      if (problem !== undefined)
        throw new Error(`the project's set-up (${setup.join(' ')}) ${problem}\n${output}`);
    }
    if (setup !== null || copy.length > 0) await this.#ignoreNewFiles();
    this.#isFresh = setup === null;
    writeFileAtomic(paths.ready, '');
  }

  /** What the set-up made and what was copied stays, and is no change of the tree. */
  async #ignoreNewFiles(): Promise<void> {
    const { paths } = this.#parts;
    this.#restoreGit();
    const list = ['ls-files', '--others', '--exclude-standard', '--directory', '--no-empty-directory'];
    const lines: string[] = [];
    const { problem } = await this.#run(['git', '-c', 'core.quotePath=false', ...list], {
      onOutput: (line) => lines.push(line),
    });
    // A name with quotes or line breaks cannot be listed this way.
    const names = problem === undefined ? lines.filter((line) => line !== '' && !line.startsWith('"')) : [];
    const patterns = names.map((name) => `/${name.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}\n`);
    appendFileSync(join(paths.git, 'info', 'exclude'), `\n${patterns.join('')}`);
  }

  /** False when it could not be done. */
  async #reset(): Promise<boolean> {
    this.#restoreGit();
    return (await this.#run(['sh', '-c', RESET])).problem === undefined;
  }

  /** A check can write to the git directory. The index says which files are as they were written. */
  #restoreGit(): void {
    const { work, git } = this.#parts.paths;
    removeTree(join(work, '.git'));
    cpSync(git, join(work, '.git'), { recursive: true, preserveTimestamps: true });
  }

  async #run(command: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { paths, marker, signal } = this.#parts;
    const { limit_ms = STEP_LIMIT_MS, env = {}, open = false } = options;
    const tail = new OutputTail();
    const limit = new AbortController();
    const end = (): void => limit.abort(new Interruption(KILL_STEP_MS));
    const timer = setTimeout(end, limit_ms);
    signal.addEventListener('abort', end, { once: true });
    const started = performance.now();
    try {
      signal.throwIfAborted();
      const exit = await runProgram(
        {
          command,
          directory: paths.work,
          env: open ? gitEnvironment() : { ...this.#env, ...env },
          marker,
          cell: open ? null : this.#cell,
          stdin: '',
          onOutput: options.onOutput ?? tail.add,
          onError: tail.add,
        },
        limit.signal,
      );
      signal.throwIfAborted();
      const took_ms = Math.round(performance.now() - started);
      const late = limit.signal.aborted;
      return { ...outcomeOf(exit, late ? limit_ms : undefined), output: tail.text(), took_ms };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

interface RunOptions {
  readonly limit_ms?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Outside of the sandbox, by Fleet's own git. */
  readonly open?: boolean;
  onOutput?(line: string): void;
}

export interface Ran {
  /** Undefined when it succeeded. */
  readonly problem: string | undefined;
  /** Null when it did not run to its end. */
  readonly exit_code: number | null;
  readonly output: string;
  readonly took_ms: number;
}

function outcomeOf(exit: Exit, limit_ms: number | undefined): Pick<Ran, 'problem' | 'exit_code'> {
  if (limit_ms !== undefined)
    return { problem: `took longer than ${limit_ms / 1000} s and was stopped`, exit_code: null };
  return { problem: problemOf(exit), exit_code: exit.kind === 'exited' ? exit.code : null };
}
