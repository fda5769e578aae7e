import { readdirSync, readFileSync } from 'node:fs';
import type { BorrowedGit } from './borrowed-git.ts';
import { bytesOf, listFiles, listOf, pathIn, pathText, statOf } from './file-list.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface IgnoredWork {
  readonly files: readonly string[];
  /** Repositories among them. */
  readonly inside: readonly string[];
  /** What is too large to be kept without being asked for. */
  readonly left: readonly string[];
}

/** A file that git ignores because the agent said so, up to this size in all, is taken for work. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 10_000;

/** Files that git ignores and that are work all the same: those that the project names, and those that the agent hid. */
export async function ignoredWork(git: BorrowedGit, plan: WorktreePlan): Promise<IgnoredWork> {
  const named = await namedFiles(git, plan);
  const files = new Set(named.filter((path) => !path.endsWith('/')));
  const inside = new Set(named.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1)));
  const left: string[] = [];
  let bytes = 0;
  for (const path of await hiddenPaths(git, plan)) {
    const found = walk(plan.directory, path);
    if (bytes + found.bytes > MOST_BYTES || files.size + found.files.length > MOST_FILES) {
      left.push(path);
      continue;
    }
    bytes += found.bytes;
    for (const file of found.files) files.add(file);
    for (const each of found.inside) inside.add(each);
  }
  return { files: [...files], inside: [...inside], left: left.map(pathText) };
}

/** What the project's `keep` names, unless the repository has the very same file. */
async function namedFiles(git: BorrowedGit, plan: WorktreePlan): Promise<readonly string[]> {
  const globs = (plan.keep ?? []).map((glob) => `:(glob)${glob}`);
  if (globs.length === 0) return [];
  const found = await listFiles(git, ['--others', '--', ...globs]);
  return found.filter((path) => !isSame(path, plan));
}

/** Paths that are ignored by rules which the project did not have when the agent was made. */
async function hiddenPaths(git: BorrowedGit, plan: WorktreePlan): Promise<readonly string[]> {
  const ignored = await listFiles(git, ['--others', '--ignored', '--exclude-standard', '--directory']);
  if (ignored.length === 0) return [];
  const { stdout } = await git.try(['check-ignore', '--verbose', '--no-index', '-z', '--stdin'], {
    input: bytesOf(ignored),
  });
  const fields = listOf(stdout);
  const rules = new Map<string, { source: string; pattern: string }>();
  for (let place = 0; place + 3 < fields.length; place += 4) {
    const [source = '', , pattern = '', path = ''] = fields.slice(place, place + 4);
    rules.set(path, { source: pathText(source), pattern });
  }
  const projects = await projectRules(git, plan);
  const hidden: string[] = [];
  for (const path of ignored) {
    // A directory that is not ignored itself, but whose own file ignores all that is in it.
    const { source, pattern } = rules.get(path) ?? { source: `${pathText(path)}.gitignore`, pattern: '*' };
    if (!(await projects.have(source, pattern))) hidden.push(path);
  }
  return hidden;
}

interface ProjectRules {
  have(source: string, pattern: string): Promise<boolean>;
}

async function projectRules(git: BorrowedGit, { base_commit }: WorktreePlan): Promise<ProjectRules> {
  const own = await git.text(['config', '--default', '', '--get', 'core.excludesFile']);
  const read = new Map<string, Promise<readonly string[]>>();
  const rulesOf = (source: string): Promise<readonly string[]> => {
    const before = read.get(source);
    if (before !== undefined) return before;
    const lines = git
      .try(['cat-file', 'blob', `${base_commit}:${source}`])
      .then(({ ok, stdout }) => (ok ? stdout.toString('latin1').split(/\r?\n/) : []));
    read.set(source, lines);
    return lines;
  };
  return {
    // The user's own rules are outside of every repository.
    have: async (source, pattern) =>
      source === own || (await rulesOf(source)).some((line) => line.trimEnd() === pattern.trimEnd()),
  };
}

interface Walked {
  readonly files: string[];
  readonly inside: string[];
  bytes: number;
}

function walk(directory: string, path: string): Walked {
  const found: Walked = { files: [], inside: [], bytes: 0 };
  const look = (each: string): void => {
    if (found.bytes > MOST_BYTES || found.files.length > MOST_FILES) return;
    const stat = statOf(directory, each);
    if (stat === undefined) return;
    if (!stat.isDirectory()) {
      if (!stat.isFile() && !stat.isSymbolicLink()) return;
      found.files.push(each);
      found.bytes += stat.size;
      return;
    }
    const names = readdirSync(pathIn(directory, each), { encoding: 'latin1' });
    if (isMadeAgain(each, names)) return;
    if (names.includes('.git')) return void found.inside.push(each);
    for (const name of names) look(`${each}/${name}`);
  };
  look(path.replace(/\/$/, ''));
  return found;
}

/** Directories of tools that can make them again, and say so. */
function isMadeAgain(path: string, names: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'node_modules' || names.includes('CACHEDIR.TAG') || names.includes('pyvenv.cfg');
}

const MOST_COMPARED = 16 * 1024 * 1024;

function isSame(path: string, { directory, repository }: WorktreePlan): boolean {
  const [a, b] = [statOf(directory, path), statOf(repository, path)];
  if (a?.isFile() !== true || b?.isFile() !== true) return false;
  if (a.size !== b.size || a.size > MOST_COMPARED) return false;
  return readFileSync(pathIn(directory, path)).equals(readFileSync(pathIn(repository, path)));
}
