import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

describe.skipIf(withoutBrowser)('messages of agents', () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let tries = 0;
  beforeAll(async () => {
    fleet = acpFleet();
    ask = askAs(fleet.fleet);
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  it('are rendered beside the page when they are long', async () => {
    const name = `ada-${++tries}`;
    await idleAgent(ask, name, { task: steps({ say: 'a **word** and\n\n', times: 1_000 }, { say: 'end' }) });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}`);
    await expect.poll(() => page.locator('.markdown strong').count()).toBe(1_000);
    expect(page.workers()).toHaveLength(1);
    expect(opened.problems).toEqual([]);
  });

  // The time for these grows with the square of their length, or they are very deep.
  it.each([
    ['emphasis that never ends', 'a_b*', 250_000],
    ['emphasis, at a length that is tried', 'a_b*', 24_000],
    ['brackets that never close', '[', 1_000_000],
    ['quotes in quotes', '>', 90_000],
  ])('do not hold up the page: %s', async (_, say, times) => {
    const name = `mallory-${++tries}`;
    await idleAgent(ask, name, { task: steps({ say, times }) });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}`);
    await page.locator('.markdown', { hasText: say.repeat(10) }).waitFor();
    await page.getByRole('link', { name: 'Log' }).click();
    await page.locator('.log').waitFor();
    await page.getByRole('link', { name: 'Conversation' }).click();
    await page.locator('.markdown', { hasText: say.repeat(10) }).waitFor();
    expect(opened.problems).toEqual([]);
  });
});
