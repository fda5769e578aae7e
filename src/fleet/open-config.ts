import type { ConfigSource } from '../config/config-source.ts';
import type { FleetPlace } from './open-fleet.ts';

/** Reading a configuration takes two libraries, which cost more than all the rest of a `fleet list`. */
export async function openConfig(
  home: string,
  { env, cwd, config: flag }: FleetPlace,
): Promise<ConfigSource> {
  const [{ ConfigSource }, { findConfig }, { isTrusted }] = await Promise.all([
    import('../config/config-source.ts'),
    import('../config/find-config.ts'),
    import('../config/trust.ts'),
  ]);
  // The server of a team uses the configuration that its manager had, or one that a person trusted since.
  const pinned = env['FLEET_CONFIG_HASH'];
  return new ConfigSource({
    location: () => {
      const found = findConfig({ flag, env, cwd });
      return found === undefined || pinned === undefined ? found : { ...found, named: false };
    },
    env,
    isTrusted: (path, hash) => hash === pinned || isTrusted(home, path, hash),
  });
}
