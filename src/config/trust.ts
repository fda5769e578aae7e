import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FleetError, quote } from '../domain/values/errors.ts';
import { writeFileAtomic } from '../platform/write-file.ts';

/** Whether somebody trusted this file with this content; the same content elsewhere starts other programs. */
export function isTrusted(home: string, path: string, hash: string): boolean {
  return existsSync(entryFile(home, path, hash));
}

export interface TrustEntry {
  readonly path: string;
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Keeps one small file for each trusted content, so that writers at the same time cannot lose each other's. */
export function trust(home: string, { path, hash, at }: TrustEntry): void {
  const file = entryFile(home, path, hash);
  const directory = join(home, 'trusted');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileAtomic(file, `${JSON.stringify({ path: realPath(path), hash, at })}\n`);
  } catch (error) {
    if (error instanceof FleetError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The trust in ${quote(path)} could not be written to ${quote(directory)} (${code}).`,
      { reason: 'home_not_writable', file },
      error,
    );
  }
}

/** An agent must not widen what it may start: trust is given from outside of it. */
export function refuseTrustInsideAgent(env: NodeJS.ProcessEnv): void {
  if (!env['FLEET_SELF_SOCKET']) return;
  throw new FleetError(
    'FORBIDDEN',
    'A configuration cannot be trusted from inside an agent. Ask a person to run fleet trust in a terminal.',
    { reason: 'inside_agent' },
  );
}

/** What a person types to trust a file. */
export function trustCommand(path: string): string {
  return `fleet trust ${/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`}`;
}

function entryFile(home: string, path: string, hash: string): string {
  const key = createHash('sha256')
    .update(`${realPath(path)}\0${hash}`)
    .digest('hex');
  return join(home, 'trusted', `${key}.json`);
}

/** Two ways to one file are one file. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
