import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FleetError } from '../../../domain/values/errors.ts';

const run = promisify(execFile);
const PUSH_LIMIT_MS = 120_000;

/** Pushes work that is nowhere but in this workspace to a branch of its own. Empty when there is none, or no repository. */
export async function pushKeptWork(directory: string, branch: string): Promise<readonly string[]> {
  if (!existsSync(join(directory, '.git'))) return [];
  try {
    const dirty = (await git(directory, ['status', '--porcelain'])) !== '';
    const only = await git(directory, ['rev-list', '--count', 'HEAD', '--branches', '--not', '--remotes']);
    if (!dirty && only === '0') return [];
    const commit = dirty ? await commitAll(directory) : await git(directory, ['rev-parse', 'HEAD']);
    await git(directory, ['push', '--quiet', 'origin', `${commit}:refs/heads/${branch}`]);
    return [branch];
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.trim().split('\n').at(-1) : String(thrown);
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work in the workspace could not be pushed to "${branch}" (${why}). Push it yourself, or delete with discard_work.`,
      { reason: 'work_not_kept' },
      thrown,
    );
  }
}

/** A commit of all files as they are, made beside the agent's own index. */
async function commitAll(directory: string): Promise<string> {
  const temporary = mkdtempSync(join(tmpdir(), 'fleet-keep-'));
  try {
    const index = join(temporary, 'index');
    const own = await git(directory, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
    if (existsSync(own)) cpSync(own, index);
    const env = { GIT_INDEX_FILE: index };
    await git(directory, ['add', '--all'], env);
    const tree = await git(directory, ['write-tree'], env);
    const who = ['-c', 'user.name=Fleet', '-c', 'user.email=fleet@localhost'];
    const head = await git(directory, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '');
    const parent = head === '' ? [] : ['-p', head];
    return await git(directory, [...who, 'commit-tree', tree, ...parent, '-m', 'Work kept by Fleet']);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** With the workspace's own credentials, which Coder gives to git; and without the repository's hooks. */
async function git(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.hooksPath=/dev/null', ...args], {
    cwd: directory,
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0', ...env },
    timeout: PUSH_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trim();
}
