import type { Browser, Page } from 'playwright-core';
import type { Served } from '../../scripts/soak/served.ts';
import { now } from '../measure.ts';

const PROBES = 20;

/** A window that is signed in, on one view of the page. */
export interface OpenedView extends AsyncDisposable {
  readonly page: Page;
}

export async function openView(browser: Browser, served: Served, view: string): Promise<OpenedView> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${served.url}/healthz`);
  await page.evaluate((token) => localStorage.setItem('fleet-session', token), served.token);
  await page.goto(served.url + view);
  return { page, [Symbol.asyncDispose]: () => context.close() };
}

/** Notes when each text that matches a pattern first appears in the document, on the page's own clock. */
export async function noteTexts(page: Page, pattern: string): Promise<void> {
  await page.evaluate(`{
    const seen = (globalThis.seen = {});
    const pattern = new RegExp(${JSON.stringify(pattern)}, 'g');
    const note = () => {
      for (const [text] of document.body.textContent.matchAll(pattern)) seen[text] ??= performance.now();
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    note();
  }`);
}

/** What was noted, on the clock of facts. */
export async function notedTimes(page: Page): Promise<ReadonlyMap<string, number>> {
  const offset = await offsetOf(page);
  const seen = await page.evaluate<Record<string, number>>('globalThis.seen');
  return new Map(Object.entries(seen).map(([text, at]) => [text, at + offset]));
}

/** What has to be added to the page's clock: by the quickest of some questions, half of whose way is taken off. */
async function offsetOf(page: Page): Promise<number> {
  let best = { took: Infinity, offset: 0 };
  for (let probe = 0; probe < PROBES; probe++) {
    const asked = now();
    const there = await page.evaluate<number>('performance.now()');
    const took = now() - asked;
    if (took < best.took) best = { took, offset: asked + took / 2 - there };
  }
  return best.offset;
}
