import { homedir } from 'node:os';
import { join } from 'node:path';
import { adapterOf, type Adapter } from '../../src/agents/adapter-of.ts';
import { CODING_AGENTS, codingAgent, type CodingAgent } from '../../src/agents/catalogue.ts';

/** The agents that are tested; gemini cannot load a session again. */
export const TESTED: readonly CodingAgent[] = CODING_AGENTS.filter(({ name }) => name !== 'gemini');

/** Where the real agents are kept between runs, outside of any checkout; laid out as a fleet's home is. */
export function agentsCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_TEST_AGENTS'] ?? '') !== '') return env['FLEET_TEST_AGENTS'] ?? '';
  const otherwise =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || otherwise, 'fleet-test-agents');
}

/** A real agent at its pinned version. */
export function cachedAdapter(name: string): Adapter | undefined {
  const found = adapterOf(name, agentsCache(), codingAgent(name)?.version);
  return found?.version === codingAgent(name)?.version ? found : undefined;
}

/** For the title of a test that needs it. */
export function without(name: string): { readonly missing: boolean; readonly why: string } {
  const missing = cachedAdapter(name) === undefined;
  return { missing, why: missing ? ` (skipped: ${name} could not be installed)` : '' };
}
