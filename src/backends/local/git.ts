import { setTimeout as delay } from 'node:timers/promises';
import { gitEnvironment } from './git-environment.ts';
import { runGit } from './run-git.ts';

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

const LOCKED =
  /unable to create .*\.lock|cannot lock ref (?!.*(exists; cannot create|reference already exists))|could not lock|failed to read .*commondir/i;

/** Runs git on refs and commits of a repository, never on files: that is `borrowGit`. Waits for the locks of others. */
export async function git(
  directory: string,
  args: readonly string[],
  { env, input, signal }: GitOptions = {},
): Promise<GitResult> {
  for (let attempt = 1; ; attempt++) {
    const { ok, stdout, stderr } = await runGit(['-C', directory, '--no-pager', ...args], {
      env: {
        ...gitEnvironment(await filtersOff(directory, args)),
        ...(isMaking(args) ? FETCHING : {}),
        ...env,
      },
      ...(input === undefined ? {} : { input: Buffer.from(input) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (ok || attempt === 20 || !LOCKED.test(stderr)) return { ok, stdout: stdout.toString(), stderr };
    await delay(50 * attempt, undefined, signal === undefined ? {} : { signal });
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
  throw gitProblem(args, stderr);
}

export function gitProblem(args: readonly string[], stderr: string): Error {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return new Error(`git ${args.find((arg) => !arg.startsWith('-')) ?? ''} failed: ${said}`);
}

/** A partial clone fetches the files of a new worktree; by these ways no program of a repository is run. */
const FETCHING = { GIT_ALLOW_PROTOCOL: 'https:http:ssh', GIT_NO_LAZY_FETCH: '0' };

function isMaking([command, what]: readonly string[]): boolean {
  return command === 'worktree' && what === 'add';
}

/** Making a worktree writes files, and would run the filters that attributes and configuration name. */
async function filtersOff(
  directory: string,
  args: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  if (!isMaking(args)) return [];
  const look = ['-C', directory, 'config', '--name-only', '-z', '--get-regexp', '^filter\\.'];
  const { stdout } = await runGit(look, { env: gitEnvironment() });
  const keys = stdout.toString().split('\0');
  const names = new Set(keys.flatMap((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []));
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ]);
}
