import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The last version that builds from the Go module registry: later ones need folders that module archives leave out. */
export const OLLAMA_VERSION = '0.9.6';

/** Where Ollama is kept between runs, outside of any checkout. */
export function ollamaCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_TEST_OLLAMA'] ?? '') !== '') return env['FLEET_TEST_OLLAMA'] ?? '';
  const otherwise =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || otherwise, 'fleet-test-ollama');
}

/** The program; undefined when it was not built. */
export function builtOllama(): string | undefined {
  const program = join(ollamaCache(), `ollama-${OLLAMA_VERSION}`, 'ollama');
  return existsSync(program) ? program : undefined;
}
