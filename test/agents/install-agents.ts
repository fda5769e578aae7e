import { mkdirSync } from 'node:fs';
import { installAdapter } from '../../src/agents/install-adapter.ts';
import type { CodingAgent } from '../../src/agents/catalogue.ts';
import { toFleetError } from '../../src/domain/values/errors.ts';
import { agentsCache, cachedAdapter, TESTED } from './agents-cache.ts';

export interface Missing {
  readonly name: string;
  readonly message: string;
}

/** Brings real agents into the cache, one after the other, and says by name what could not be had. */
export async function installAgents(
  say: (line: string) => void,
  agents: readonly CodingAgent[] = TESTED,
): Promise<readonly Missing[]> {
  const home = agentsCache();
  mkdirSync(home, { recursive: true });
  const missing: Missing[] = [];
  for (const agent of agents) {
    if (cachedAdapter(agent.name) !== undefined) continue;
    const onProgress = (line: string): void => say(`${agent.name}: ${line}`);
    try {
      await installAdapter(agent, { home, env: process.env, onProgress });
    } catch (thrown) {
      missing.push({ name: agent.name, message: toFleetError(thrown).message });
    }
  }
  for (const { name, message } of missing) say(`${name} could not be had: ${message}`);
  return missing;
}

if (import.meta.main) {
  const missing = await installAgents((line) => console.error(line));
  process.exitCode = missing.length === 0 ? 0 : 1;
}
