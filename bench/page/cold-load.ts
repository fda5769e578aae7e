import type { Browser } from 'playwright-core';
import { serve, type Served } from '../../scripts/soak/served.ts';
import { builtEdition } from '../editions.ts';
import { fillStore } from '../fill-store.ts';
import { alternate, ratioRow, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';

const AGENTS = 100;
const ROUNDS = 9;

/** How long a browser that has nothing of the page takes to show the fleet; beside an empty answer of the same server. */
export async function coldLoad(stage: Stage, browser: Browser): Promise<readonly Row[]> {
  const place = stage.place('page-load');
  fillStore(place, { agents: AGENTS, journals: AGENTS, repository: stage.repository, asleep: true });
  await using served = await serve(place, (await builtEdition(stage)).launcher);
  const { ours, empty } = await alternate(
    { rounds: ROUNDS },
    {
      ours: () => shownAfter(browser, served, { view: '/fleet', shown: '.agent-line' }),
      empty: () => shownAfter(browser, served, { view: '/healthz', shown: 'body' }),
    },
  );
  return [
    ratioRow(
      {
        measure: `first view of ${AGENTS} agents from a cold load`,
        peer: 'an empty answer of the same server',
        how: `Chromium without a cache, from the start of the navigation to the first agent in the document; against /healthz to its body; ${ROUNDS} rounds`,
      },
      { ours: ours.median, peer: empty.median },
    ),
  ];
}

async function shownAfter(
  browser: Browser,
  { url, token }: Served,
  { view, shown }: { readonly view: string; readonly shown: string },
): Promise<number> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(`{
    if (location.origin === ${JSON.stringify(url)}) localStorage.setItem('fleet-session', ${JSON.stringify(token)});
    const note = () => {
      if (document.querySelector(${JSON.stringify(shown)}) !== null) globalThis.shown ??= performance.now();
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true });
  }`);
  await page.goto(url + view);
  await page.locator(shown).first().waitFor({ state: 'attached' });
  return await page.evaluate<number>('globalThis.shown');
}
