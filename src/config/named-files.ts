import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { FleetConfig } from './config-schema.ts';
import { repositoryOf } from './find-config.ts';
import { readTextFile } from './read-text-file.ts';

export interface NamedFiles {
  /** The files that trust covers, sorted: modules and prompts wherever they are, and of the words of commands and
   *  variables those that git tracks in the repository of the configuration. */
  readonly files: readonly string[];
  /** Further paths in the repository that the configuration names. A file that appears there can be covered. */
  readonly absent: readonly string[];
  /** Git's index, when a named file is not tracked: the file is covered once git tracks it. */
  readonly index: string | undefined;
}

export function namedFiles(config: FleetConfig, directory: string): NamedFiles {
  const prompts = [...Object.values(config.roles), config.session ?? {}].flatMap(
    ({ system_prompt_file: file }) => file ?? [],
  );
  const modules = Object.values(config.tool_modules);
  const root = repositoryOf(directory);
  if (root === undefined) return { files: sortedSet([...prompts, ...modules]), absent: [], index: undefined };
  const inside = sortedSet(wordsOf(config, directory)).filter((path) => isInside(root, path));
  const { present = [], absent = [] } = Object.groupBy(inside, (path) =>
    isFile(path) ? 'present' : 'absent',
  );
  const tracked = trackedIn(root, present);
  return {
    files: sortedSet([...prompts, ...modules, ...tracked]),
    absent,
    index: tracked.length < present.length ? indexOf(root) : undefined,
  };
}

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** Everything in commands and variables that can be the path of a file. */
function wordsOf({ projects, roles, mcpServers }: FleetConfig, directory: string): readonly string[] {
  const ofProjects = Object.values(projects).flatMap(({ setup = [], checks = {} }) => [
    setup,
    ...Object.values(checks).map((check) => (typeof check === 'string' ? check : check.run)),
  ]);
  const ofRoles = Object.values(roles).flatMap(({ command = [], env = {} }) => [
    ...command,
    ...Object.values(env),
  ]);
  const ofServers = Object.values(mcpServers).flatMap(
    ({ command = '', args = [], env = {}, cwd = directory }) =>
      [command, ...args, ...Object.values(env)].flatMap(pathsIn).map((path) => resolve(cwd, path)),
  );
  const texts = [...ofProjects.flat(), ...ofRoles];
  return [...texts.flatMap(pathsIn).map((path) => resolve(directory, path)), ...ofServers];
}

/** A text whole, and its parts: any argument or variable can be a line for a shell. A part that is not a path names no
 *  file, so that one too many does no harm. */
function pathsIn(text: string): readonly string[] {
  const words = text.split(/[\s;&|<>(){}"'`]+/);
  // A quoted path can have spaces, and an option or a list of paths can hold one: --import=./a.mjs, ./a.so:./b.so.
  const parts = [text, ...text.split(/["'`]/), ...words, ...words.flatMap((word) => word.split(/[=:,]/))];
  return parts.filter((part) => part !== '');
}

/** Data in the repository, such as a database, changes all the time and is not tracked. */
function trackedIn(root: string, files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const names = files.map((file) => relative(root, file));
  const args = ['-c', 'core.fsmonitor=false', '--literal-pathspecs', 'ls-files', '-z', '--', ...names];
  const { status, stdout } = spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  // Where git cannot say it, all of them count.
  if (status !== 0) return files;
  return sortedSet(stdout.split('\0').filter((name) => name !== '')).map((name) => resolve(root, name));
}

function indexOf(root: string): string {
  const git = join(root, '.git');
  const file = readTextFile(git);
  // In a worktree, .git is a file that names the directory.
  const directory = 'text' in file ? /^gitdir: (.+)/.exec(file.text)?.[1] : undefined;
  return join(resolve(root, directory ?? git), 'index');
}

function sortedSet(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}
