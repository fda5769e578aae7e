import { readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { borrowGit, type BorrowedGit } from './borrowed-git.ts';
import { bytesOf, GITLINK, indexEntries, listFiles, listOf, pathText } from './file-list.ts';
import { adminEnvironment, isDirectory, readNote, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';
import { addFiles } from './snapshot.ts';

export interface Insides {
  readonly common: string;
  readonly admin: string | undefined;
  /** The files of the agent's worktree. */
  readonly files: string;
  readonly scratch: string;
  /** Directories inside of it that are repositories of their own, as bytes. */
  readonly paths: readonly string[];
}

export interface KeptInsides {
  readonly tree: string;
  /** What is where in the tree, a line each. */
  readonly about: readonly string[];
}

/** What a repository's own git directory is called in a tree, where the name `.git` cannot be. */
const KEPT_GIT = '.git-kept';
const VERBATIM = '* -text -eol -working-tree-encoding -ident -filter\n';

/** A tree with the files and the git directories of repositories inside, as far as they hold what is nowhere else. */
export async function keepInsides(insides: Insides): Promise<KeptInsides | undefined> {
  const kept = new Map<string, string>();
  const seen = new Set<string>();
  const own = join(insides.files, '.git');
  if (isDirectory(own) && (await isUnpushed(insides, own))) kept.set(KEPT_GIT, await wholeTree(insides, own));
  for (const path of insides.paths) await keepOne(insides, { path, kept, seen });
  for (const { name, directory } of modulesOf(insides.admin)) {
    if (seen.has(directory) || !(await isUnpushed(insides, directory))) continue;
    kept.set(`.git-modules/${Buffer.from(name).toString('latin1')}`, await wholeTree(insides, directory));
  }
  if (kept.size === 0) return undefined;
  using git = await borrowGit({ ...insides, admin: undefined });
  const entries: string[] = [];
  for (const [path, tree] of kept) entries.push(...(await treeEntries(git, tree, path)));
  await git.bytes(['update-index', '-z', '--index-info'], { input: bytesOf(entries) });
  return {
    tree: await git.text(['write-tree', '--missing-ok']),
    about: [...kept.keys()].map(pathText),
  };
}

interface Keeping {
  readonly path: string;
  /** Trees by the path that they get. */
  readonly kept: Map<string, string>;
  /** Git directories that were looked at. */
  readonly seen: Set<string>;
}

async function keepOne(insides: Insides, { path, kept, seen }: Keeping): Promise<void> {
  const name = pathText(path);
  if (Buffer.from(name).toString('latin1') !== path)
    throw new Error(`the repository in ${JSON.stringify(name)} has a name that is not UTF-8: rename it`);
  const directory = join(insides.files, name);
  if (!isDirectory(directory) || readdirSync(directory).length === 0) return;
  const gitDirectory = gitDirectoryOf(directory);
  const { tree, inner } = await filesTree(insides, directory, gitDirectory);
  for (const each of inner) await keepOne(insides, { path: `${path}/${each}`, kept, seen });
  if (gitDirectory === undefined) return void kept.set(path, tree);
  seen.add(gitDirectory);
  const goes = [insides.files, insides.admin].some((place) => isWithin(gitDirectory, place));
  const unpushed = goes && (await isUnpushed(insides, gitDirectory));
  const head = await git(insides.common, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}'], {
    env: environmentOf(insides, gitDirectory),
  });
  if (unpushed || head.stdout.trim() !== tree) kept.set(path, tree);
  if (unpushed) kept.set(`${path}/${KEPT_GIT}`, await wholeTree(insides, gitDirectory));
}

/** The files of a repository inside, all of them written to the objects of the one around it. */
async function filesTree(
  insides: Insides,
  directory: string,
  gitDirectory: string | undefined,
): Promise<{ tree: string; inner: readonly string[] }> {
  using git = await borrowGit({ ...insides, admin: gitDirectory, files: directory });
  const entries = await indexEntries(git).catch(() => []);
  const others = await listFiles(git, ['--others', '--exclude-standard']);
  rmSync(join(git.directory, 'index'), { force: true });
  const links = entries.filter(({ mode }) => mode === GITLINK);
  const files = entries.filter(({ mode }) => mode !== GITLINK).map(({ path }) => path);
  await addFiles(git, [...new Set([...files, ...others.filter((path) => !path.endsWith('/'))])]);
  if (links.length > 0)
    await git.bytes(['update-index', '-z', '--index-info'], {
      input: bytesOf(links.map(({ object, path }) => `${GITLINK} ${object}\t${path}`)),
    });
  const nested = others.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  return {
    tree: await git.text(['write-tree', '--missing-ok']),
    inner: [...new Set([...links.map(({ path }) => path), ...nested])],
  };
}

/** Every file of a git directory, byte by byte. */
async function wholeTree(insides: Insides, directory: string): Promise<string> {
  using git = await borrowGit({ ...insides, admin: undefined, files: directory });
  writeFileSync(join(git.directory, 'info', 'attributes'), VERBATIM);
  const files = await listFiles(git, ['--others']);
  await addFiles(
    git,
    files.filter((path) => !path.endsWith('/')),
  );
  return await git.text(['write-tree', '--missing-ok']);
}

async function treeEntries(git: BorrowedGit, tree: string, prefix: string): Promise<readonly string[]> {
  const listed = listOf(await git.bytes(['ls-tree', '-r', '-z', tree]));
  return listed.map((line) =>
    line.replace(
      /^(\d+) \w+ (\w+)\t/,
      (_all, mode: string, object: string) => `${mode} ${object}\t${prefix}/`,
    ),
  );
}

/** True when it has commits that no remote is known to have, or cannot tell. */
async function isUnpushed(insides: Insides, gitDirectory: string): Promise<boolean> {
  const look = [
    'rev-list',
    '--max-count=1',
    '--exclude=refs/tags/*',
    '--all',
    '--not',
    '--remotes',
    '--tags',
  ];
  const { ok, stdout } = await git(insides.common, look, { env: environmentOf(insides, gitDirectory) });
  return !ok || stdout !== '';
}

function environmentOf({ common }: Insides, gitDirectory: string): Record<string, string> {
  const isWorktree = dirname(gitDirectory) === join(common, 'worktrees');
  return isWorktree ? adminEnvironment(common, gitDirectory) : gitDirectoryEnvironment(gitDirectory);
}

/** Where the `.git` of a directory leads; undefined when it has none that leads anywhere. */
function gitDirectoryOf(directory: string): string | undefined {
  const dot = join(directory, '.git');
  const said = /^gitdir: (.*?)\n?$/s.exec(readNote(dot) ?? '')?.[1];
  try {
    const found = realpathSync(said === undefined ? dot : resolve(directory, said));
    return isDirectory(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isWithin(path: string, place: string | undefined): boolean {
  if (place === undefined) return false;
  const from = relative(realpathSync(place), path);
  return from !== '..' && !from.startsWith(`..${sep}`);
}

/** The git directories of submodules, which git keeps beside the index; their names can have slashes. */
function modulesOf(admin: string | undefined): readonly { name: string; directory: string }[] {
  if (admin === undefined) return [];
  const top = realpathSync(admin);
  const found: { name: string; directory: string }[] = [];
  const look = (name: string): void => {
    const directory = join(top, 'modules', name);
    if (!isDirectory(directory)) return;
    if (isDirectory(join(directory, 'objects'))) found.push({ name, directory });
    else for (const each of readdirSync(directory)) look(join(name, each));
  };
  look('');
  return found;
}

/** Worktrees of the same repository that were made inside of this one, also where git ignores them. */
export function worktreesWithin(common: string, files: string): readonly string[] {
  const worktrees = join(common, 'worktrees');
  if (!isDirectory(worktrees)) return [];
  const top = realpathSync(files);
  return readdirSync(worktrees).flatMap((name) => {
    const noted = readNote(worktrees, name, 'gitdir')?.trim();
    if (noted === undefined) return [];
    const path = relative(top, dirname(noted));
    return path === '' || path.startsWith('..') || !isDirectory(join(top, path))
      ? []
      : [Buffer.from(path).toString('latin1')];
  });
}
