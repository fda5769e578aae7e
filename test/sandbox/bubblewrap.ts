import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { packagesCache } from '../tools/packages.ts';

const directory = join(packagesCache(), 'bubblewrap');

/** The file of its program, of this machine or unpacked here; undefined when it could not be had. */
export function bubblewrap(): string | undefined {
  const unpacked = join(directory, 'usr', 'bin', 'bwrap');
  return findProgram('bwrap', process.env['PATH']) ?? (existsSync(unpacked) ? unpacked : undefined);
}

/** Unpacks the package of Debian; nothing of the system is changed. */
export function installBubblewrap(): string | undefined {
  if (bubblewrap() !== undefined || findProgram('dpkg', process.env['PATH']) === undefined)
    return bubblewrap();
  mkdirSync(directory, { recursive: true });
  const run = (file: string, ...args: string[]): void => {
    spawnSync(file, args, { cwd: directory, stdio: 'ignore', timeout: 120_000 });
  };
  run('apt-get', 'download', 'bubblewrap');
  const found = readdirSync(directory).find((name) => name.endsWith('.deb'));
  if (found !== undefined) run('dpkg', '--extract', found, '.');
  return bubblewrap();
}
