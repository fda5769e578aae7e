import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { storageError } from '../domain/values/errors.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** The kernel's limit for the path of a unix socket is 108 bytes on Linux and 104 on macOS. */
const LIMIT = 100;

/** Where a socket is: in its directory, or where the listening process has placed it because the path would be too long. */
export function socketPath(directory: string, name: string): string {
  const path = join(directory, name);
  return fits(path) ? path : (linkOf(path) ?? shortPath(path, name));
}

/** Before listening: makes room elsewhere for a socket whose path would be too long. A link in its directory leads
 *  everybody there, whatever runtime directory they have themselves. */
export function placeSocket(directory: string, name: string): void {
  const path = join(directory, name);
  if (fits(path)) return;
  const runtime = runtimeDirectory();
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  // Anybody can make a directory of that name in a shared one.
  const { uid, mode } = lstatSync(runtime);
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o077) !== 0)
    throw storageError('no_permission', runtime);
  const target = shortPath(path, name);
  if (linkOf(path) === target) return;
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}

/** Where sockets lie whose path would be too long. */
export function runtimeDirectory(): string {
  const own = process.env['XDG_RUNTIME_DIR'] ?? '';
  return join(isDirectory(own) ? own : temporaryDirectory(), `fleet-${process.getuid?.() ?? 0}`);
}

function shortPath(path: string, name: string): string {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(runtimeDirectory(), `${hash}-${name}`);
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= LIMIT;
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isDirectory(path: string): boolean {
  return path !== '' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
