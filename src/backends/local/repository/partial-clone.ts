import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { gitEnvironment } from '../../git/git-environment.ts';
import { git } from '../../git/git.ts';
import { runGit } from '../../git/run-git.ts';

/** True for a repository that fetches objects from a remote when it needs them, so that some are not there. */
export async function isPartialClone(repository: string): Promise<boolean> {
  const keys = '^(extensions\\.partialclone|remote\\..*\\.promisor)$';
  const { ok } = await git(repository, ['config', '--get-regexp', keys]);
  return ok;
}

/** Settings by which git takes objects that are missing for ones that a remote has. */
export const PROMISOR = ['remote.project.promisor', 'true'] as const;

/** An option of `git pack-objects`. In a partial clone objects that its remote has need not be there, and neither need
 *  those that a thin pack would build on. */
export function packedHow(partial: boolean): string {
  return partial ? '--missing=allow-promisor' : '--thin';
}

/** As `--strict` of `git index-pack`, but objects that are referred to may be missing. */
export async function checksWithoutLinks(severities: string): Promise<string> {
  takesSeverities ??= runGit(['index-pack', '-h'], { env: gitEnvironment() }).then(({ stdout, stderr }) =>
    `${stdout.toString()}${stderr}`.includes('--fsck-objects['),
  );
  return (await takesSeverities) ? `--fsck-objects=${severities}` : '--fsck-objects';
}

let takesSeverities: Promise<boolean> | undefined;

/** What a git before 2.44 only warns of there. */
const WARNED_OF = /^warning: object [0-9a-f]+: ((?:gitattributes|gitignore|mailmap)Symlink: .*)$/m;

export interface Indexed {
  /** What `git index-pack` printed on its two outputs. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Throws for faults that `git index-pack` reports in a partial clone and does not refuse. */
export async function checkReported(
  repository: string,
  { stdout, stderr }: Indexed,
  known: readonly string[],
): Promise<void> {
  const [, link] = WARNED_OF.exec(stderr) ?? [];
  if (link !== undefined) throw new FleetError('SERVICE_UNAVAILABLE', `git refused it (${link})`);
  // Files .gitmodules that could not be checked, because they were never fetched.
  const missing = stdout.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
  if (missing.length === 0) return;
  const before = await Promise.all(known.map((commit) => modulesOf(repository, commit)));
  const unknown = missing.find((id) => !before.includes(id));
  if (unknown === undefined) return;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `its file .gitmodules (${unknown}) was never fetched and cannot be checked; in its workspace, ` +
      `git cat-file -e ${unknown} fetches it`,
  );
}

async function modulesOf(repository: string, commit: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, ['rev-parse', '--verify', '--quiet', `${commit}:.gitmodules`]);
  return ok ? stdout.trim() : undefined;
}

/** Notes that what a pack of the repository refers to may be at the remote alone. */
export function markPromised(repository: string, pack: string): void {
  writeFileSync(join(repository, 'objects', 'pack', `pack-${pack}.promisor`), '');
}
