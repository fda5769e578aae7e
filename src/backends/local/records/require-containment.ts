import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { containmentLevel } from '../../../platform/processes/containment.ts';
import { writeFileAtomic } from '../../../platform/write-file.ts';

/** Where it is noted that agents of a home have run in namespaces. */
function noteIn(home: string): string {
  return join(home, 'containment');
}

/** Why agents of this home may not run as weakly contained as this machine allows now; undefined when they may. */
export function containmentLoss(home: string): string | undefined {
  if (process.env['FLEET_CONTAINMENT'] === 'marker' || !existsSync(noteIn(home))) return undefined;
  const { level, reason } = containmentLevel();
  if (level === 'namespace') return undefined;
  return `agents of this fleet have run in namespaces, which is no longer possible: ${reason ?? ''}`;
}

/** The level that a home has shown once is the least that its agents run at. */
export function requireContainment(home: string): void {
  const loss = containmentLoss(home);
  if (loss !== undefined) {
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The agent was not started: ${loss}. Fix that, or set FLEET_CONTAINMENT=marker to run agents without namespaces; fleet doctor says what that means.`,
      { reason: 'containment_lost' },
    );
  }
  if (containmentLevel().level === 'namespace' && !existsSync(noteIn(home)))
    writeFileAtomic(noteIn(home), 'namespace\n');
}
