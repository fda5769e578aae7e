import type { Forge } from './forge.ts';
import { isRepository, pathWithin } from './repository-path.ts';

/** A repository of a forge. */
export interface ForgePlace {
  readonly forge: Forge;
  /** The owner and the name, or on GitLab the whole path. */
  readonly repository: string;
}

/** Where the remote of a repository is; undefined for a host that is not among the forges. By SSH a host is known by its name
 *  alone. */
export function forgePlace(remote: string, forges: readonly Forge[]): ForgePlace | undefined {
  const url = new URL(remote);
  for (const forge of forges) {
    const bySsh = url.protocol === 'ssh:' && url.hostname.toLowerCase() === new URL(forge.url).hostname;
    const repository = bySsh ? url.pathname.slice(1) : pathWithin(url, forge);
    if (repository !== undefined && isRepository(repository, forge)) return { forge, repository };
  }
  return undefined;
}
