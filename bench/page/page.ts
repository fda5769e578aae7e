import type { Browser } from 'playwright-core';
import { launchFound } from '../../test/browser/launch-found.ts';
import { skippedRow, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { coldLoad } from './cold-load.ts';
import { eventsOnPage } from './events-on-page.ts';
import { heapOverEvents } from './heap-over-events.ts';
import { idleServer } from './idle-server.ts';
import { scrolling } from './scrolling.ts';

const PARTS: readonly ((stage: Stage, browser: Browser) => Promise<readonly Row[]>)[] = [
  eventsOnPage,
  coldLoad,
  heapOverEvents,
  scrolling,
  idleServer,
];

/** The page in a real Chromium. */
export async function page(stage: Stage): Promise<readonly Row[]> {
  const browser = await launchFound();
  if (browser === undefined) return [skippedRow('the page', 'no Chromium that starts was found')];
  const rows: Row[] = [];
  try {
    for (const part of PARTS) rows.push(...(await part(stage, browser)));
  } finally {
    await browser.close();
  }
  return rows;
}
