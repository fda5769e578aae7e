import { quote } from '../domain/values/errors.ts';
import type { Forge } from './forge.ts';
import { isRepository, pathWithin, REPOSITORY } from './repository-path.ts';

export interface Target {
  readonly forge: Forge;
  /** The owner and the name, or on GitLab the whole path, of the repository. */
  readonly repository: string;
  readonly number: number;
}

const BETWEEN: Readonly<Record<Forge['type'], string>> = {
  github: '/pull/',
  gitea: '/pulls/',
  gitlab: '/-/merge_requests/',
};

/** Whose pull request an address names; a sentence when it is none that may be asked for. Asks nobody. */
export function pullRequestTarget(address: string, forges: readonly Forge[]): Target | string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return `${quote(address)} is not the address of a pull request`;
  const forge = forges.find((each) => pathWithin(url, each) !== undefined);
  if (forge === undefined || url.username !== '' || url.password !== '')
    return `the host ${quote(url.host)} is not among the forges of the configuration: it was not asked`;
  const form = new RegExp(`^(${REPOSITORY[forge.type]})${BETWEEN[forge.type]}(\\d{1,10})(?:/[a-z]*)?$`);
  const [, repository, number] = form.exec(pathWithin(url, forge) ?? '') ?? [];
  if (repository === undefined || !isRepository(repository, forge))
    return `${quote(address)} is not the address of a pull request of ${forge.type}`;
  return { forge, repository, number: Number(number) };
}

/** The address of the page of a pull request. */
export function pullRequestAddress({ forge, repository, number }: Target): string {
  return `${forge.url}/${repository}${BETWEEN[forge.type]}${number}`;
}
