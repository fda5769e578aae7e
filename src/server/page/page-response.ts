import { extname } from 'node:path';
import { pageFiles } from './page-files.ts';

/** Views of the page: each is an address of its own, and all of them are the same document. */
const VIEWS = /^\/(?:|inbox|fleet|new|merge|tools|chat(?:\/[^/]+)?|settings|agents\/[^/]+(?:\/[^/]+)?)$/;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** What agents wrote is shown as text, and nothing but the page's own files can run or be loaded. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page, or one of its files; undefined for any other path. It holds no data: it fetches what it shows. */
export async function pageResponse(path: string): Promise<Response | undefined> {
  const isView = VIEWS.test(path);
  if (!isView && !path.startsWith('/assets/')) return undefined;
  const name = isView ? 'index.html' : path.slice(1);
  const text = (await pageFiles()).get(name);
  if (text === undefined) return undefined;
  return new Response(text, {
    headers: {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      // The name of a file changes with its content.
      'Cache-Control': isView ? 'no-store' : 'public, max-age=31536000, immutable',
    },
  });
}
