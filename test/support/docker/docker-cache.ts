import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the tests' own Docker daemon keeps its images between runs, outside of any checkout. */
export function dockerCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_TEST_DOCKER'] ?? '') !== '') return env['FLEET_TEST_DOCKER'] ?? '';
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fleet-test-docker');
}
