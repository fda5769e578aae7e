import { ConfigSource, type LoadedConfig } from '../../config/config-source.ts';
import { isTrusted, trust } from '../../config/trust.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import type { Cli } from '../output/cli.ts';

/** Trusts a configuration and the files that it names as they are now. */
export function trustConfig(cli: Cli, path: string): LoadedConfig {
  const loaded = configAt(cli, path);
  const home = ensureHome(resolveHome(cli.env));
  trust(home, { path, hash: loaded.hash, at: new Date().toISOString() });
  return loaded;
}

/** A configuration that was found: it is trusted only when somebody did so. */
export function configAt(cli: Cli, path: string): LoadedConfig {
  const home = resolveHome(cli.env);
  return new ConfigSource({
    location: { path, named: false },
    env: cli.env,
    isTrusted: (file, hash) => isTrusted(home, file, hash),
  }).current();
}
