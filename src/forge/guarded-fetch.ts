const REDIRECTS = 3;
const BODY_LIMIT = 4_194_304;

/** A fetch that leaves one origin for nobody, and reads no body without end. */
export function guardedFetch(origin: string): typeof fetch {
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hop = 0; hop <= REDIRECTS; hop++) {
      if (url.origin !== origin)
        throw new Error(`it redirects to another host (${url.host}), which was not asked`);
      const response = await fetch(url, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null)
        return await limited(response);
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw new Error('it redirects in a circle');
  };
}

/** Read whole here: a library that meets the limit in the middle would tell of something else. */
async function limited(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new Error(`it answers with more than ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
}
