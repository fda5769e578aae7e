import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { FleetError, groundError, quote } from '../domain/errors.ts';
import { reasonOfErrno } from '../domain/ground.ts';

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
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if ((statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700);
  } catch (cause) {
    const reason = reasonOfErrno(cause);
    if (reason !== undefined) throw groundError(reason, home, cause);
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
