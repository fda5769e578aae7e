import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { FleetError, storageError, quote } from '../domain/values/errors.ts';
import { reasonOfErrno } from '../domain/values/storage-problem.ts';

/** Where the state of a fleet lives. */
export function resolveHome(env: NodeJS.ProcessEnv): string {
  const explicit = env['FLEET_HOME'];
  if (explicit !== undefined && explicit !== '') return resolve(explicit);
  const data = env['XDG_DATA_HOME'];
  const base =
    data !== undefined && data.startsWith('/') ? data : join(env['HOME'] ?? homedir(), '.local', 'share');
  return join(base, 'fleet');
}

/** Makes the home when it is not there, and keeps it to its owner. */
export function ensureHome(home: string): string {
  try {
    makeDirectories(home);
    if ((statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700);
  } catch (cause) {
    const reason = reasonOfErrno(cause);
    if (reason !== undefined) throw storageError(reason, home, cause);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The fleet's home ${quote(home)} cannot be used: ${why}. Set FLEET_HOME to a directory that you can write to.`,
      { reason: 'home_unusable' },
      cause,
    );
  }
  return home;
}

/** Node's own way goes on for ever where a directory is there and yet nothing can be made in it, as in /proc. */
function makeDirectories(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Error(`${quote(directory)} is not a directory`);
  makeDirectories(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (thrown) {
    if (!existsSync(directory)) throw thrown;
  }
}
