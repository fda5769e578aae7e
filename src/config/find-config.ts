import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { FleetError, quote } from '../domain/errors.ts';
import { homeOf, resolvePath } from './resolve-path.ts';

export interface ConfigLocation {
  readonly path: string;
  /** Somebody chose this file, or it is the user's own; one that merely lay in the directory needs trust. */
  readonly named: boolean;
}

export interface ConfigSearch {
  /** The value of `--config`. */
  readonly flag?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** `--config`, else `FLEET_CONFIG`, else `./fleet.yaml`, else the user's own; a file that was named must be there. */
export function findConfig({ flag, env, cwd }: ConfigSearch): ConfigLocation | undefined {
  const variable = env['FLEET_CONFIG'] || undefined;
  const wanted = flag ?? variable;
  if (wanted !== undefined) {
    const path = resolvePath(wanted, { directory: cwd, env });
    if (wanted !== '' && exists(path)) return { path, named: true };
    const from = flag === undefined ? 'FLEET_CONFIG' : '--config';
    throw new FleetError(
      'INVALID_INPUT',
      `The configuration ${quote(wanted === '' ? wanted : path)} that ${from} names does not exist or cannot be reached. Mend the path, or make the file with fleet init.`,
      { field: from, file: path },
    );
  }
  const here = join(cwd, 'fleet.yaml');
  const own = join(configHome(env), 'fleet', 'fleet.yaml');
  if (exists(here)) return { path: here, named: here === own };
  return exists(own) ? { path: own, named: true } : undefined;
}

/** The XDG rules: a relative directory counts as not set. */
function configHome(env: NodeJS.ProcessEnv): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return isAbsolute(given) ? given : join(homeOf(env), '.config');
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
