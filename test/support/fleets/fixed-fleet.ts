import type { Backend } from '../../../src/backends/backend.ts';
import type { Caller } from '../../../src/domain/principal.ts';
import { Fleet, type FleetParts } from '../../../src/fleet/fleet.ts';
import { TinyBackend } from '../../server/tiny-backend.ts';
import { TinyEvents } from '../../server/tiny-events.ts';

/** A moment a minute after the agents of a tiny backend were made. */
export const NOW = { at: Date.parse('2026-11-01T10:01:00.000Z'), awake_ms: 60_000, boot: 'test' };

export const TESTER: Caller = {
  principal: { kind: 'user', name: 'tester' },
  door: 'cli',
  source: 'human',
  scopes: new Set(['read', 'operate', 'approve']),
};

/** Makes ids that say what they are for. */
export const MAKING = { caller: TESTER, makeId: (part: string): string => `id-of-${part}` };

/** A fleet in memory at a fixed time, whose backend a test changes by `change`. */
export function fixedFleet(
  change: Partial<Backend> = {},
  parts: Partial<FleetParts> = {},
): { readonly fleet: Fleet; readonly backend: TinyBackend; readonly events: TinyEvents } {
  const events = new TinyEvents();
  const backend = Object.assign(new TinyBackend(events), change);
  const fleet = new Fleet({ backends: [backend], clock: { now: () => NOW }, events, ...parts });
  return { fleet, backend, events };
}
