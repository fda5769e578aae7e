import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Nothing that a repository configures is run by Fleet's own git. */
const QUIET = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

const LOCKED = /unable to create .*\.lock|cannot lock ref|could not lock|failed to read .*commondir/i;

/** Runs git in a directory. Waits for the locks of other git processes. */
export async function git(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  for (let attempt = 1; ; attempt++) {
    const result = await gitOnce(directory, [...(await filtersOff(directory, args)), ...args], options);
    if (result.ok || attempt === 20 || !LOCKED.test(result.stderr)) return result;
    await delay(50 * attempt, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

/** As `git`, for commands that should not fail: the trimmed output, or an error with what git said. */
export async function gitText(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const { ok, stdout, stderr } = await git(directory, args, options);
  if (ok) return stdout.trim();
  throw new Error(`git ${args.find((arg) => !arg.startsWith('-')) ?? ''} failed: ${lastLine(stderr)}`);
}

/** Commands that read or write files of a worktree, and would run the filters that attributes and configuration name. */
const FILTERING = new Set(['add', 'checkout', 'diff', 'status', 'worktree']);

/** Any number of filters can be configured, so each that is there is turned off by its name. */
async function filtersOff(directory: string, [command]: readonly string[]): Promise<readonly string[]> {
  if (command === undefined || !FILTERING.has(command)) return [];
  const { stdout } = await gitOnce(
    directory,
    ['config', '--name-only', '-z', '--get-regexp', '^filter\\.'],
    {},
  );
  const names = new Set(stdout.split('\0').flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((off) => ['-c', `filter.${name}.${off}`]),
  );
}

function gitOnce(directory: string, args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { promise, resolve } = Promise.withResolvers<GitResult>();
  execFile(
    'git',
    ['-C', directory, ...QUIET, ...args],
    {
      env: { ...gitEnvironment(), ...options.env },
      maxBuffer: 64 * 1024 * 1024,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
    (error, stdout, stderr) => {
      resolve({
        ok: error === null,
        stdout,
        stderr: stderr === '' && error !== null ? error.message : stderr,
      });
    },
  );
  return promise;
}

/** The caller's own GIT_DIR and the like would point git at another repository. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([key]) => !key.startsWith('GIT_') || /^GIT_(AUTHOR|COMMITTER|SSH|SSL)/.test(key),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
