import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { landConflict, namedPaths } from '../../../domain/merge/landing.ts';
import { git } from '../../git/git.ts';
import type { ChangedPath } from './changed-paths.ts';

/** Refuses a submodule at a commit that no remote of it has: nobody else could check the result out. */
export async function checkSubmodules(
  fleet: string,
  lender: string,
  { to, changes }: { readonly to: string; readonly changes: readonly ChangedPath[] },
): Promise<void> {
  const links = changes.filter(({ gitlink, after }) => gitlink && after !== null);
  const missing: string[] = [];
  for (const { path, after } of links) {
    const directory = join(lender, 'modules', await moduleName(fleet, to, path));
    if (!existsSync(directory) || !(await isPublished(directory, after ?? ''))) missing.push(path);
  }
  if (missing.length === 0) return;
  throw landConflict(
    'submodule_not_published',
    `No remote of the submodule ${namedPaths(missing)} has its commit. Push it there first, and fetch it into this repository's submodule.`,
    { paths: missing },
  );
}

async function moduleName(fleet: string, commit: string, path: string): Promise<string> {
  const { stdout } = await git(fleet, [
    'config',
    '-z',
    `--blob=${commit}:.gitmodules`,
    '--get-regexp',
    '^submodule\\..*\\.path$',
  ]);
  const entry = stdout.split('\0').find((line) => line.slice(line.indexOf('\n') + 1) === path);
  const key = entry?.slice(0, entry.indexOf('\n'));
  return key === undefined ? path : key.slice('submodule.'.length, -'.path'.length);
}

async function isPublished(directory: string, commit: string): Promise<boolean> {
  const { ok, stdout } = await git(directory, [
    'for-each-ref',
    '--count=1',
    `--contains=${commit}`,
    'refs/remotes',
  ]);
  return ok && stdout.trim() !== '';
}
