import { apiUrl, authorization } from '../api-access.ts';
import type { Forge } from '../forge.ts';

const KEPT_BYTES = 16_384;
const MOST_BYTES = 64 * 1024 * 1024;
const REDIRECTS = 3;

/** The end of a log that the API of a forge has; empty when it gives none. A forge may send it to another host, which gets
 *  no token. */
export async function logEnd(forge: Forge, path: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await follow(forge, new URL(`${apiUrl(forge)}${path}`), signal);
    return response.ok ? plain(await lastBytes(response)) : '';
  } catch {
    signal.throwIfAborted();
    return '';
  }
}

async function follow(forge: Forge, first: URL, signal: AbortSignal): Promise<Response> {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const headers = url.origin === first.origin ? authorization(forge) : {};
    const response = await fetch(url, { headers, redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    url = new URL(location, url);
    if (!['https:', first.protocol].includes(url.protocol)) throw new Error('not an address of the web');
  }
  throw new Error('it redirects in a circle');
}

async function lastBytes(response: Response): Promise<string> {
  let kept = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) break;
    kept = Buffer.concat([kept, chunk]).subarray(-KEPT_BYTES);
  }
  return kept.toString('utf8').replace(/^\uFFFD+/, '');
}

/** Without colours, and without the time that GitHub writes before each line. */
function plain(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- That is what it looks for.
      .replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '')
      .replaceAll('\r', '')
      .replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '')
  );
}
