import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LandingIntent } from '../../../store/landing-store.ts';
import { git, gitText } from '../../git/git.ts';
import { changesBetween, type ChangedPath } from './changed-paths.ts';

const LOCK_WAIT_MS = 3_000;

/** Puts the files of a checkout back that git was changing when it was killed. Files that are neither as before nor as
 *  after belong to somebody else: then nothing is touched, and they are returned. */
export async function rollBackCheckout(
  lender: string,
  { checkout, from, to }: LandingIntent,
): Promise<readonly string[] | 'in use'> {
  if (checkout === null || !existsSync(checkout)) return [];
  const directory = await gitText(checkout, ['rev-parse', '--absolute-git-dir']);
  if (!(await freeLock(join(directory, 'index.lock')))) return 'in use';
  const changes = await changesBetween(lender, from, to);
  const now = await Promise.all(changes.map(({ path }) => contentOf(checkout, path, from.length)));
  const others = changes.filter(({ before, after }, index) => now[index] !== before && now[index] !== after);
  if (others.length > 0) return others.map(({ path }) => path);
  await restore(checkout, from, changes);
  return [];
}

/** Waits for a git that still works there. A lock that no process has open was left by one that was killed. */
async function freeLock(lock: string): Promise<boolean> {
  const until = performance.now() + LOCK_WAIT_MS;
  while (existsSync(lock)) {
    if (performance.now() > until) {
      if (isOpen(lock)) return false;
      rmSync(lock, { force: true });
      return true;
    }
    await delay(50);
  }
  return true;
}

/** Where that cannot be seen, it is taken for open. */
function isOpen(file: string): boolean {
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === file);
      } catch {
        return false;
      }
    });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The id of a file's content; null for a file that is not there. */
async function contentOf(checkout: string, path: string, idLength: number): Promise<string | null> {
  const file = join(checkout, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (found.isSymbolicLink()) return blobId(readlinkSync(file, { encoding: 'buffer' }), idLength);
  if (!found.isFile()) return '';
  return gitText(checkout, ['hash-object', `--path=${path}`, '--', file]);
}

function blobId(content: Buffer, idLength: number): string {
  const hash = createHash(idLength === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

async function restore(checkout: string, from: string, changes: readonly ChangedPath[]): Promise<void> {
  const were = changes.filter(({ before }) => before !== null).map(({ path }) => path);
  const added = changes.filter(({ before }) => before === null).map(({ path }) => path);
  for (const path of added) rmSync(join(checkout, path), { force: true });
  if (added.length > 0)
    await gitText(checkout, ['update-index', '--force-remove', '-z', '--stdin'], { input: words(added) });
  if (were.length > 0) {
    const args = [
      'checkout',
      '--quiet',
      '--no-overlay',
      '--pathspec-from-file=-',
      '--pathspec-file-nul',
      from,
    ];
    await git(checkout, args, { input: words(were), env: { GIT_LITERAL_PATHSPECS: '1' } });
  }
}

function words(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}
