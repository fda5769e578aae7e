import type { Actor } from '../../domain/principal.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { Check } from '../../domain/check.ts';

/** Repairs the agents whose project's repository was moved, and says how each went. */
export async function repairAgents(opened: OpenedFleet, by: Actor): Promise<readonly Check[]> {
  const backends = await opened.backends();
  const repaired = await Promise.all(backends.map(async ({ upkeep }) => (await upkeep?.repair(by)) ?? []));
  return repaired.flat().map(({ agent_name, problem }) => ({
    name: `repair ${agent_name}`,
    ...(problem === undefined
      ? { state: 'ok', message: 'it uses the repository where it is now' }
      : { state: 'fail', message: problem }),
  }));
}
