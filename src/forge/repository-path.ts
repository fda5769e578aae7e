import type { Forge } from './forge.ts';

const NAMES = '[\\w.-]+';

/** What the path of a repository looks like: an owner and a name, on GitLab in groups of groups. */
export const REPOSITORY: Readonly<Record<Forge['type'], string>> = {
  github: `${NAMES}/${NAMES}`,
  gitea: `${NAMES}/${NAMES}`,
  gitlab: `${NAMES}(?:/${NAMES})+`,
};

/** The part of an address below that of the forge, without slashes at its ends; undefined for one of another host. */
export function pathWithin(url: URL, forge: Forge): string | undefined {
  const own = new URL(forge.url);
  const top = own.pathname.replace(/\/?$/, '/');
  if (url.origin !== own.origin || !`${url.pathname}/`.startsWith(top)) return undefined;
  return url.pathname.slice(top.length).replace(/\/$/, '');
}

/** False for a path that names something above the repositories. */
export function isRepository(path: string, { type }: Forge): boolean {
  return (
    new RegExp(`^${REPOSITORY[type]}$`).test(path) && !path.split('/').some((part) => /^\.+$/.test(part))
  );
}
