import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GitFacts } from '../../../domain/agent.ts';
import { remoteAddress } from '../../../domain/remote-address.ts';
import { git } from '../../local/git.ts';

/** Where the work in the folder of a workspace stands; null when it is no repository. The runner is the agent's own there:
 *  nothing that it reads can do more than the agent. */
export async function folderGitFacts(directory: string, wanted: string | null): Promise<GitFacts | null> {
  if (!existsSync(join(directory, '.git'))) return null;
  const ask = async (...args: string[]): Promise<string | undefined> => {
    const { ok, stdout } = await git(directory, args);
    return ok ? stdout.trim() : undefined;
  };
  const status = await ask('status', '--porcelain=v2', '-z', '--untracked-files=normal', WITHOUT_SUBMODULES);
  if (status === undefined) return null;
  const base = wanted ?? (await ask('rev-parse', '--abbrev-ref', 'origin/HEAD')) ?? null;
  const [branch, subject, remote, counted, common] = await Promise.all([
    ask('branch', '--show-current'),
    ask('log', '-1', '--format=%h %s'),
    ask('config', '--get', 'remote.origin.url'),
    base === null ? undefined : ask('rev-list', '--left-right', '--count', `${base}...HEAD`, '--'),
    base === null ? undefined : ask('merge-base', base, 'HEAD'),
  ]);
  const said =
    (await ask(
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--shortstat',
      WITHOUT_SUBMODULES,
      common ?? 'HEAD',
    )) ?? '';
  const entries = status.split('\0').filter((entry) => entry !== '');
  const untracked = entries.filter((entry) => entry.startsWith('? ')).length;
  const [behind = 0, ahead = 0] = (counted ?? '0 0').split(/\s+/).map(Number);
  const address = remote === undefined ? undefined : remoteAddress(remote);
  return {
    branch: branch === '' || branch === undefined ? null : branch,
    base,
    ahead,
    behind,
    changed_files: numberBefore(said, / files? changed/) + untracked,
    insertions: numberBefore(said, / insertions?\(\+\)/),
    deletions: numberBefore(said, / deletions?\(-\)/),
    dirty: entries.length > 0,
    last_commit: subject ?? null,
    ...(address === undefined ? {} : { remote: address }),
  };
}

const WITHOUT_SUBMODULES = '--ignore-submodules=dirty';

function numberBefore(text: string, what: RegExp): number {
  return Number(new RegExp(`(\\d+)${what.source}`).exec(text)?.[1] ?? 0);
}
