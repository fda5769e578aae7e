import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOf, adaptersDirectory, type Adapter } from '../../src/agents/adapter-of.ts';
import { agentsCache } from './agents-cache.ts';

/** Puts a real agent into the home of a fleet, as if it had been installed there. */
export function lendAgent(name: string, home: string): Adapter {
  const from = join(adaptersDirectory(agentsCache()), name);
  mkdirSync(adaptersDirectory(home), { recursive: true, mode: 0o700 });
  try {
    // Hundreds of megabytes are linked in no time; a link to the directory would lead out of what an agent sees.
    execFileSync('cp', ['-al', from, join(adaptersDirectory(home), name)], { stdio: 'ignore' });
  } catch {
    execFileSync('cp', ['-a', from, adaptersDirectory(home)]);
  }
  const lent = adapterOf(name, home);
  if (lent === undefined) throw new Error(`${name} is not in the cache`);
  return lent;
}
