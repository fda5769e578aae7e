import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { FleetError, quote } from '../domain/values/errors.ts';
import { homeOf, resolvePath } from './resolve-path.ts';

export interface ConfigLocation {
  readonly path: string;
  /** The user named this file, or it is the user's own; a file that was only found needs trust. */
  readonly named: boolean;
}

export interface ConfigSearch {
  /** The value of `--config`. */
  readonly flag?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * `--config`, else `FLEET_CONFIG`, else the nearest `fleet.yaml` up to the root of the git repository, else the user's
 * own. A file that was named must exist.
 */
export function findConfig({ flag, env, cwd }: ConfigSearch): ConfigLocation | undefined {
  const variable = env['FLEET_CONFIG'] || undefined;
  const wanted = flag ?? variable;
  if (wanted !== undefined) {
    const path = resolvePath(wanted, { directory: cwd, env });
    if (wanted !== '' && exists(path)) return { path, named: true };
    const from = flag === undefined ? 'FLEET_CONFIG' : '--config';
    throw new FleetError(
      'INVALID_INPUT',
      `The configuration ${quote(wanted === '' ? wanted : path)} that ${from} names does not exist or cannot be read. Correct the path, or create the file with fleet init.`,
      { field: from, file: path },
    );
  }
  const found = configAbove(cwd);
  const own = join(configHome(env), 'fleet', 'fleet.yaml');
  if (found !== undefined) return { path: found, named: found === own };
  return exists(own) ? { path: own, named: true } : undefined;
}

/** The nearest `fleet.yaml` from a directory up to the root of its git repository; outside of one, of the directory alone. */
export function configAbove(directory: string): string | undefined {
  return repositoryPath(directory)
    .map((each) => join(each, 'fleet.yaml'))
    .find(exists);
}

/** The root of the git repository around a directory. */
export function repositoryOf(directory: string): string | undefined {
  const root = repositoryPath(directory).at(-1);
  return root !== undefined && exists(join(root, '.git')) ? root : undefined;
}

/** A directory and those above it, up to the one with `.git`, which is a file in a worktree. */
function repositoryPath(directory: string): readonly string[] {
  const path = [directory];
  for (let at = directory; !exists(join(at, '.git'));) {
    const above = dirname(at);
    if (above === at) return [directory];
    path.push(above);
    at = above;
  }
  return path;
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
