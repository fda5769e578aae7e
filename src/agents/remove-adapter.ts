import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../domain/values/errors.ts';
import { takeLease } from '../platform/database/lease.ts';
import { adaptersDirectory, agentDirectory } from './adapter-of.ts';
import type { CodingAgent } from './catalogue.ts';

/** Removes every version of an adapter; false when there was none. */
export function removeAdapter(agent: CodingAgent, home: string): boolean {
  const own = agentDirectory(agent, home);
  if (!existsSync(own)) return false;
  using lease = takeLease(join(own, 'install.db'));
  if (lease === undefined) {
    throw new FleetError('CONFLICT', `${agent.name} is being installed. Retry when that has finished.`, {
      reason: 'install_running',
    });
  }
  const gone = mkdtempSync(join(adaptersDirectory(home), '.gone-'));
  // In one step: nobody finds half an adapter.
  renameSync(own, join(gone, agent.name));
  rmSync(gone, { recursive: true, force: true, maxRetries: 3 });
  return true;
}
