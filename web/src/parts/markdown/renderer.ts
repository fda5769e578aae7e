import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Where this file is: a worker runs it too, so it imports nothing of the page. */
export const RENDERER = import.meta.url;

/** HTML of the text is escaped, and dangerous links are dropped. */
export function render(text: string): string {
  return micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

if (!('document' in globalThis))
  addEventListener('message', ({ data }: MessageEvent<unknown>) => postMessage(render(String(data)), {}));
