import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type {
  AgentDiff,
  DiffFile,
  DiffRequest,
  DiffSides,
  PatchedFile,
} from '../../../domain/diff/agent-diff.ts';
import { writeCursor } from '../../../domain/diff/diff-cursor.ts';
import { parseDiff, splitNul } from '../../../domain/diff/parse-diff.ts';
import { partOf, PatchSplitter } from '../../../domain/diff/patch-page.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { bareGitEnvironment } from '../../git/git-environment.ts';
import { runGit } from '../../git/run-git.ts';

export interface PageStart {
  readonly file: number;
  readonly offset: number;
}

type Wanted = Pick<DiffRequest, 'paths' | 'format' | 'max_bytes'>;

const OPTIONS = ['diff-tree', '-r', '--find-renames', '-l1000', '--no-ext-diff', '--no-textconv'];

/** One page of what differs between two trees of Fleet's repository, where all was checked when it arrived. */
export async function readDiff(
  fleet: string,
  sides: DiffSides,
  { wanted, start }: { readonly wanted: Wanted; readonly start: PageStart },
): Promise<AgentDiff> {
  const { from_tree, to_tree, head, branch, base, notes } = sides;
  const between = [from_tree, to_tree, '--', ...wanted.paths];
  using printer = wanted.format === 'patch' ? new PatchPrinter(fleet, between) : undefined;
  const [listed, dirty] = await Promise.all([
    gitBytes(fleet, [...OPTIONS, '--raw', '--numstat', '-z', ...between]),
    head === null
      ? Buffer.alloc(0)
      : gitBytes(fleet, ['diff-tree', '-r', '--name-only', '-z', head, to_tree, '--']),
  ]);
  const files = parseDiff(listed, new Set(splitNul(dirty)));
  const page =
    printer === undefined
      ? fileList(files, start, wanted.max_bytes)
      : await patches(printer, files, { most: wanted.max_bytes, start });
  const sum = (count: (file: DiffFile) => number): number =>
    files.reduce((total, file) => total + count(file), 0);
  return {
    branch,
    base,
    head,
    notes,
    uncommitted: files.some(({ uncommitted }) => uncommitted),
    files: page.files,
    total_files: files.length,
    insertions: sum(({ insertions }) => insertions),
    deletions: sum(({ deletions }) => deletions),
    cursor: page.next === null ? null : writeCursor({ ...sides, ...page.next }),
  };
}

interface DiffPage {
  readonly files: AgentDiff['files'];
  readonly next: PageStart | null;
}

function fileList(files: readonly DiffFile[], { file: first }: PageStart, most: number): DiffPage {
  let bytes = 0;
  let end = first;
  for (const file of files.slice(first)) {
    bytes += JSON.stringify(file).length + 1;
    if (end > first && bytes > most) break;
    end++;
  }
  return { files: files.slice(first, end), next: end < files.length ? { file: end, offset: 0 } : null };
}

/** What a patch adds to the answer beside its text. */
const FILE_BYTES = 250;

interface PageSize {
  readonly start: PageStart;
  readonly most: number;
}

async function patches(
  printer: PatchPrinter,
  files: readonly DiffFile[],
  { start, most }: PageSize,
): Promise<DiffPage> {
  const found = await printer.patchesFrom(files, { start, most });
  const shown: PatchedFile[] = [];
  let left = most;
  for (let at = start.file; at < files.length; at++) {
    const file = files[at];
    if (file === undefined) break;
    if (left <= 0) return { files: shown, next: { file: at, offset: 0 } };
    const patch = found.get(at);
    if (file.binary || patch === undefined) {
      shown.push(file);
      left -= FILE_BYTES;
      continue;
    }
    const part = partOf(patch, at === start.file ? start.offset : 0, left);
    const bytes = part.base64 === undefined ? {} : { patch_base64: part.base64 };
    shown.push({ ...file, patch: part.text, ...bytes });
    if (part.next !== null) return { files: shown, next: { file: at, offset: part.next } };
    left -= Buffer.byteLength(part.text) + (part.base64?.length ?? 0) + FILE_BYTES;
  }
  return { files: shown, next: null };
}

const PATCH = [...OPTIONS, '-p', '--full-index', '--src-prefix=a/', '--dst-prefix=b/', '--no-color'];

/** Begins to print the patches while the files are still being listed. */
class PatchPrinter {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #closed: Promise<number | null>;
  readonly #held: Buffer[] = [];
  #take = (chunk: Buffer): void => {
    this.#held.push(chunk);
    this.#child.stdout.pause();
  };
  #said = '';

  constructor(fleet: string, between: readonly string[]) {
    this.#child = spawn('git', ['--git-dir', fleet, ...PATCH, ...between], {
      env: environment(fleet),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    this.#closed = once(this.#child, 'close').then(([code]) => code as number | null);
    // It is awaited when the patches are read.
    this.#closed.catch(() => {});
  }

  /** The patches of files from one on, as many as a page could show. */
  async patchesFrom(
    files: readonly DiffFile[],
    { start, most }: PageSize,
  ): Promise<ReadonlyMap<number, Buffer>> {
    // A file that became a link, or the reverse, has two patches: one that deletes it and one that adds it.
    const fileOf = files.flatMap(({ status }, at) => (status === 'type_changed' ? [at, at] : [at]));
    const lines = new Map<number, Buffer[]>();
    let bytes = 0;
    let enough = false;
    const splitter = new PatchSplitter((section, line) => {
      const at = fileOf[section];
      if (at === undefined || at < start.file || files[at]?.binary === true) return;
      const before = lines.get(at);
      if (before === undefined) lines.set(at, [line]);
      else before.push(line);
      bytes += line.length;
      if (bytes <= start.offset + most + FILE_BYTES || enough) return;
      enough = true;
      this[Symbol.dispose]();
    });
    this.#take = (chunk) => {
      if (!enough) splitter.read(chunk);
    };
    for (const chunk of this.#held.splice(0)) this.#take(chunk);
    this.#child.stdout.resume();
    const code = await this.#closed;
    if (!enough && code !== 0) throw unreadable(this.#said);
    if (!enough) splitter.end();
    return new Map([...lines].map(([at, all]) => [at, Buffer.concat(all)]));
  }

  [Symbol.dispose](): void {
    this.#take = () => {};
    this.#child.stdout.resume();
    this.#child.kill('SIGKILL');
  }
}

async function gitBytes(fleet: string, args: readonly string[]): Promise<Buffer> {
  const { ok, stdout, stderr } = await runGit(['--git-dir', fleet, ...args], { env: environment(fleet) });
  if (!ok) throw unreadable(stderr);
  return stdout;
}

/** Paths are names, not patterns. */
function environment(fleet: string): NodeJS.ProcessEnv {
  return { ...bareGitEnvironment(fleet), GIT_LITERAL_PATHSPECS: '1' };
}

function unreadable(said: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The diff cannot be read: ${said.trim().split('\n').at(-1) ?? ''}`,
    { reason: 'diff_unreadable' },
  );
}
