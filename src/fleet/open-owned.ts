import type { FleetPlace, OpenedFleet } from './open-fleet.ts';

/** The fleet with all that its owner has. A configuration that was named must be there, whatever is done then. */
export async function openOwned({ env, cwd, config, configSource }: FleetPlace): Promise<OpenedFleet> {
  const [{ openFleet }, { findConfig }] = await Promise.all([
    import('./open-fleet.ts'),
    import('../config/find-config.ts'),
  ]);
  findConfig({ flag: config, env, cwd });
  return openFleet({ env, cwd, config, configSource });
}
