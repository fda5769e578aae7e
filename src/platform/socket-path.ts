import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The kernel's limit for the path of a unix socket is 108 bytes on Linux and 104 on macOS. */
const LIMIT = 100;

/** A socket in its directory, or in the runtime directory when the path would be too long. */
export function socketPath(directory: string, name: string): string {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= LIMIT) return path;
  const runtime = runtimeDirectory();
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(runtime, `${hash}-${name}`);
}

/** Where sockets lie whose path would be too long. */
export function runtimeDirectory(): string {
  return join(process.env['XDG_RUNTIME_DIR'] ?? tmpdir(), `fleet-${process.getuid?.() ?? 0}`);
}
