import { setTimeout as delay } from 'node:timers/promises';
import { gitEnvironment } from './git-environment.ts';
import { runGit } from './run-git.ts';

export interface GitResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions {
  /** Added to the environment of Fleet's own git, or to another one. */
  readonly env?: Readonly<Record<string, string>>;
  readonly whole?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly signal?: AbortSignal;
}

const LOCKED =
  /unable to create .*\.lock|cannot lock ref (?!.*(exists; cannot create|reference already exists))|could not lock|failed to read .*commondir/i;

/** Runs git on refs and commits of a repository of the user's or of Fleet's, never on files. Waits for the locks of
 *  others. */
export async function git(
  directory: string,
  args: readonly string[],
  { env, whole, input, signal }: GitOptions = {},
): Promise<GitResult> {
  for (let attempt = 1; ; attempt++) {
    const { ok, stdout, stderr } = await runGit(['-C', directory, '--no-pager', ...args], {
      env: { ...(whole ?? gitEnvironment()), ...env },
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
