import type { Forge } from '../forge.ts';

/** Forges take any user name beside a token, except for these. */
const USERNAMES: Readonly<Record<Forge['type'], string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'fleet',
};

/** The login by which git pushes to a forge over HTTP; undefined without a token, and for other ways. */
export function pushLogin({ type, token }: Forge, remote: string) {
  const { protocol, origin } = new URL(remote);
  if (token === null || !['http:', 'https:'].includes(protocol)) return undefined;
  return { origin, username: USERNAMES[type], password: token };
}
