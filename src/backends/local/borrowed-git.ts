import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { bareGitEnvironment } from './git-environment.ts';
import { readNote, gitDirectoryEnvironment } from './find-worktree.ts';
import { gitProblem, gitText } from './git.ts';
import { runGit, type GitOutput } from './run-git.ts';

export interface Borrowing {
  /** The git directory whose objects are used, and that new ones are written to. */
  readonly common: string;
  /** Whose HEAD, index and settings are meant. */
  readonly admin: string | undefined;
  readonly files: string | undefined;
  /** Where the git directory of this one use is made. */
  readonly scratch: string;
}

export interface BorrowedOptions {
  readonly input?: Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Git on the files of an agent. */
export interface BorrowedGit extends Disposable {
  /** Its git directory. */
  readonly directory: string;
  /** Where the repository is fetched from. */
  readonly origin: string | undefined;
  try(args: readonly string[], options?: BorrowedOptions): Promise<GitOutput>;
  bytes(args: readonly string[], options?: BorrowedOptions): Promise<Buffer>;
  text(args: readonly string[], options?: BorrowedOptions): Promise<string>;
}

/**
 * A git directory of Fleet's own with the objects of the repository and a copy of the agent's index. No configuration,
 * hook or attribute file of the repository is read, so that nothing in them can be run or can hide anything.
 */
export async function borrowGit(borrowing: Borrowing): Promise<BorrowedGit> {
  const { common, admin, files, scratch } = borrowing;
  const settings = await settingsOf(common);
  const directory = mkdtempSync(join(scratch, SCRATCH));
  for (const name of ['objects', 'refs', 'info']) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(directory, 'config'), configText(settings));
  const exclude = readNote(common, 'info', 'exclude');
  if (exclude !== undefined) writeFileSync(join(directory, 'info', 'exclude'), exclude);
  if (admin !== undefined) copyIndex(admin, directory);
  const env = {
    ...bareGitEnvironment(directory),
    GIT_DIR: directory,
    GIT_OBJECT_DIRECTORY: join(common, 'objects'),
    GIT_INDEX_FILE: join(directory, 'index'),
    GIT_WORK_TREE: files ?? join(directory, 'info'),
  };
  const run = (args: readonly string[], options: BorrowedOptions = {}): Promise<GitOutput> =>
    runGit(['-C', env.GIT_WORK_TREE, '--no-pager', ...args], {
      env: { ...env, ...options.env },
      ...(options.input === undefined ? {} : { input: options.input }),
    });
  const bytes = async (args: readonly string[], options?: BorrowedOptions): Promise<Buffer> => {
    const { ok, stdout, stderr } = await run(args, options);
    if (!ok) throw gitProblem(args, stderr);
    return stdout;
  };
  return {
    directory,
    origin: settings.findLast(({ key }) => key === 'remote.origin.url')?.value,
    try: run,
    bytes,
    text: async (args, options) => (await bytes(args, options)).toString().trim(),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const SCRATCH = 'git-';

/** What a process that died left behind. */
export function sweepBorrowed(scratch: string): void {
  const left = readdirSync(scratch).filter((name) => name.startsWith(SCRATCH));
  for (const name of left) rmSync(join(scratch, name), { recursive: true, force: true });
}

/** A split index has a second part. */
function copyIndex(admin: string, directory: string): void {
  const parts = readdirSync(admin).filter((name) => name === 'index' || name.startsWith('sharedindex.'));
  for (const name of parts) {
    const { mtimeMs } = statSync(join(admin, name));
    copyFileSync(join(admin, name), join(directory, name));
    // Git reads files again that may have changed in the second in which the index was written.
    utimesSync(join(directory, name), new Date(), Math.floor(mtimeMs / 1000));
  }
}

/** Settings that say how files become objects. None of them runs anything. */
const TAKEN = /^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode)$/;
const PLAIN = /^(true|false|yes|no|on|off|input|lf|crlf|native|[01]|)$/i;

interface Setting {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

async function settingsOf(common: string): Promise<readonly Setting[]> {
  const listed = await gitText(common, ['config', '--list', '--show-scope', '-z'], {
    env: gitDirectoryEnvironment(common),
  });
  return [...listed.matchAll(/([a-z]+)\0([^\n\0]*)\n?([^\0]*)\0/g)].map(
    ([, scope = '', key = '', value = '']) => ({ scope, key, value }),
  );
}

function configText(settings: readonly Setting[]): string {
  const taken = settings.filter(({ key, value }) => TAKEN.test(key) && PLAIN.test(value));
  const format = settings.findLast(({ key }) => key === 'extensions.objectformat')?.value;
  const excludes = settings.findLast(
    ({ scope, key }) => key === 'core.excludesfile' && (scope === 'global' || scope === 'system'),
  )?.value;
  return [
    '[core]',
    `repositoryFormatVersion = ${format === 'sha256' ? 1 : 0}`,
    'bare = false',
    'untrackedCache = false',
    'splitIndex = false',
    'fsync = committed,loose-object',
    'fsyncMethod = batch',
    `excludesFile = ${quoted(excludesFile(excludes))}`,
    ...taken.map(({ key, value }) => `${key.slice('core.'.length)} = ${value}`),
    // Large files are most often packed already, and nobody waits for the rest.
    'bigFileThreshold = 128m',
    '[pack]',
    'compression = 0',
    ...(format === 'sha256' ? ['[extensions]', 'objectFormat = sha256'] : []),
    '',
  ].join('\n');
}

/** The user's own, where git looks for it. */
function excludesFile(configured: string | undefined): string {
  const usual = join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'git', 'ignore');
  const file = configured === undefined ? usual : configured.replace(/^~\//, `${homedir()}/`);
  return existsSync(file) ? file : '';
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
