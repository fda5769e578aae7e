/** A longer text is rendered in a worker: for some texts the time grows with the square of their length. */
const MOST_AT_ONCE = 4_000;
/** A longer text stays plain, and so does one that takes the worker longer than this. */
const MOST = 100_000;
const LIMIT_MS = 10_000;

let worker: Worker | undefined;
/** One text after another. */
let last: Promise<unknown> = Promise.resolve();

/** The HTML of a text, undefined if it is to stay plain. The renderer is loaded when the first message is shown. */
export async function renderMarkdown(text: string, signal: AbortSignal): Promise<string | undefined> {
  if (text.length > MOST) return undefined;
  const { render, RENDERER } = await import('./renderer.ts');
  if (text.length <= MOST_AT_ONCE) return render(text);
  const turn = last.then(() => (signal.aborted ? undefined : inWorker(RENDERER, text)));
  last = turn;
  return turn;
}

function inWorker(url: string, text: string): Promise<string | undefined> {
  worker ??= new Worker(url, { type: 'module' });
  const asked = worker;
  return new Promise((resolve) => {
    const ending = new AbortController();
    const once = { once: true, signal: ending.signal };
    const end = (html: string | undefined): void => {
      clearTimeout(timer);
      ending.abort();
      if (html === undefined) {
        asked.terminate();
        worker = undefined;
      }
      resolve(html);
    };
    const timer = setTimeout(() => end(undefined), LIMIT_MS);
    asked.addEventListener('message', ({ data }: MessageEvent<unknown>) => end(String(data)), once);
    asked.addEventListener('error', () => end(undefined), once);
    asked.postMessage(text, {});
  });
}
