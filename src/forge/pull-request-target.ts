import { quote } from '../domain/errors.ts';
import type { Forge } from './forge.ts';

export interface Target {
  readonly forge: Forge;
  /** The owner and the name, or on GitLab the whole path, of the repository. */
  readonly repository: string;
  readonly number: number;
}

const PATHS: Readonly<Record<Forge['type'], RegExp>> = {
  github: /^([\w.-]+\/[\w.-]+)\/pull\/(\d{1,10})(?:\/[a-z]*)?$/,
  gitea: /^([\w.-]+\/[\w.-]+)\/pulls\/(\d{1,10})(?:\/[a-z]*)?$/,
  gitlab: /^([\w.-]+(?:\/[\w.-]+)+)\/-\/merge_requests\/(\d{1,10})(?:\/[a-z]*)?$/,
};

/** Whose pull request an address names; a sentence when it is none that may be asked for. Asks nobody. */
export function pullRequestTarget(address: string, forges: readonly Forge[]): Target | string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return `${quote(address)} is not the address of a pull request`;
  const forge = forges.find((each) => isWithin(url, each));
  if (forge === undefined || url.username !== '' || url.password !== '')
    return `the host ${quote(url.host)} is not among the forges of the configuration: it was not asked`;
  const path = url.pathname
    .slice(new URL(forge.url).pathname.replace(/\/$/, '').length + 1)
    .replace(/\/$/, '');
  const [, repository, number] = PATHS[forge.type].exec(path) ?? [];
  if (repository === undefined || repository.split('/').some((part) => /^\.+$/.test(part)))
    return `${quote(address)} is not the address of a pull request of ${forge.type}`;
  return { forge, repository, number: Number(number) };
}

function isWithin(url: URL, forge: Forge): boolean {
  const own = new URL(forge.url);
  return url.origin === own.origin && `${url.pathname}/`.startsWith(own.pathname.replace(/\/?$/, '/'));
}
