import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** A path of a configuration as an absolute one: `~/` is the home directory, all else starts from `directory`. */
export function resolvePath(
  path: string,
  { directory, env }: { directory: string; env: NodeJS.ProcessEnv },
): string {
  if (path === '~') return homeOf(env);
  return path.startsWith('~/') ? join(homeOf(env), path.slice(2)) : resolve(directory, path);
}

export function homeOf(env: NodeJS.ProcessEnv): string {
  return env['HOME'] || homedir();
}
