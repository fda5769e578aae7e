import type { Forge } from './forge.ts';

/** Where the API of a forge is. */
export function apiUrl({ type, url }: Forge): string {
  if (type === 'github') return url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`;
  return type === 'gitlab' ? `${url}/api/v4` : `${url}/api/v1`;
}

/** The header that shows who asks. */
export function authorization({ type, token }: Forge): Record<string, string> {
  if (token === null) return {};
  return type === 'gitlab' ? { 'private-token': token } : { authorization: `token ${token}` };
}
