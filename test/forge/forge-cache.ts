import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const GITEA_VERSION = '1.24.0';

/** Where the forge is kept between runs, outside of any checkout. */
export function forgeCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_TEST_FORGE'] ?? '') !== '') return env['FLEET_TEST_FORGE'] ?? '';
  const otherwise =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || otherwise, 'fleet-test-forge');
}

/** The directory with the program `gitea` and the files that it needs beside it; undefined when it was not built. */
export function builtGitea(): string | undefined {
  const directory = join(forgeCache(), `gitea-${GITEA_VERSION}`);
  return existsSync(join(directory, 'gitea')) ? directory : undefined;
}
