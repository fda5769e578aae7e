import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codingAgent } from '../../../agents/catalogue.ts';
import type { Launch } from '../../../domain/launch.ts';
import type { Link } from '../../../platform/processes/with-links.ts';
import { cachePlaces } from './own-places.ts';
import type { AgentPaths } from '../records/paths.ts';

const CARGO = ['config.toml', 'config', 'credentials.toml', 'credentials'];
const GRADLE = ['gradle.properties', 'init.gradle', 'init.gradle.kts', 'init.d'];

/** Settings and packages of the user, which the agent can read, at the places where its tools now look for them. */
export function userSettings(
  caches: string,
  launch: Pick<Launch, 'agent' | 'env'>,
  { state }: Pick<AgentPaths, 'state'>,
): readonly Link[] {
  const userHome = launch.env['HOME'];
  if (userHome === undefined) return [];
  const places = cachePlaces(caches);
  return [
    ...linked(join(userHome, '.cargo'), CARGO, places.cargo),
    ...linked(join(userHome, '.gradle'), GRADLE, places.gradle),
    ...linkedAll(join(userHome, '.cache', 'ms-playwright'), join(places.xdg, 'ms-playwright')),
    ...configuration(launch, { userHome, state }),
    ...pythonPackages(join(userHome, '.local', 'lib'), places.python),
  ];
}

function linked(from: string, names: readonly string[], to: string): readonly Link[] {
  return names
    .map((name) => ({ at: join(to, name), to: join(from, name) }))
    .filter((link) => existsSync(link.to));
}

function linkedAll(from: string, to: string): readonly Link[] {
  return linked(
    from,
    entriesOf(from).filter((name) => !name.startsWith('.')),
    to,
  );
}

/** A coding agent whose settings are among those of other programs: its own are not linked. */
function configuration(
  { agent }: Pick<Launch, 'agent'>,
  { userHome, state }: { readonly userHome: string; readonly state: string },
): readonly Link[] {
  const own = codingAgent(agent)?.state['XDG_CONFIG_HOME'];
  if (own === undefined) return [];
  return linkedAll(join(userHome, '.config'), join(state, own)).filter(({ at }) => basename(at) !== agent);
}

/** Python looks for packages of the user in one place: a line there adds another one. */
function pythonPackages(from: string, to: string): readonly Link[] {
  return entriesOf(from)
    .filter((name) => /^python\d/.test(name))
    .map((name) => ({
      at: join(to, 'lib', name, 'site-packages', 'of-the-user.pth'),
      line: join(from, name, 'site-packages'),
    }));
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Not there, or not for this user.
    return [];
  }
}
