import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

/** Whether an element is on the screen: inside the window, and inside what scrolls around it. */
function inSight(found: Locator): Promise<boolean> {
  const script = (element: unknown): Promise<boolean> =>
    new Promise((resolve) => {
      const { IntersectionObserver: Observer } = globalThis as unknown as {
        IntersectionObserver: new (seen: (entries: readonly { isIntersecting: boolean }[]) => void) => {
          observe(element: unknown): void;
          disconnect(): void;
        };
      };
      const observer = new Observer(([entry]) => {
        observer.disconnect();
        resolve(entry?.isIntersecting === true);
      });
      observer.observe(element);
    });
  return found.evaluate(script);
}

describe.skipIf(withoutBrowser)('live output', () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let tries = 0;
  beforeAll(async () => {
    fleet = localFleet((config) => {
      for (const project of Object.values(config.projects)) project['default_role'] = 'shell';
    });
    ask = askAs(fleet.fleet);
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  /** An agent that prints 100 lines each time it is let go on. */
  async function printing(): Promise<{ readonly name: string; goOn(): void }> {
    const name = `ada-${++tries}`;
    const file = (round: number): string => join(fleet.directory, `${name}-${round}`);
    const task = [1, 2, 3, 4]
      .map(
        (round) =>
          `seq -f 'row %g' ${round}001 ${round}100; while ! test -e ${file(round)}; do sleep 0.05; done`,
      )
      .join('; ');
    await ask('create_agent', { project: 'Setup', task, name });
    let round = 0;
    return { name, goOn: () => writeFileSync(file(++round), '') };
  }

  it.each(['', '/log'])('is followed until the reader scrolls up: %s', async (tab) => {
    const { name, goOn } = await printing();
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}${tab}`);
    const line = (number: string): Locator =>
      page.locator('.log .lines > div', { hasText: `row ${number}` }).last();
    await expect.poll(() => inSight(line('1100'))).toBe(true);
    goOn();
    await line('2100').waitFor();
    await expect.poll(() => inSight(line('2100'))).toBe(true);

    await page.locator('.log').last().hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => inSight(line('2100'))).toBe(false);
    goOn();
    await line('3100').waitFor();
    expect(await inSight(line('3100'))).toBe(false);

    await page.mouse.wheel(0, 100_000);
    await expect.poll(() => inSight(line('3100'))).toBe(true);
    goOn();
    await line('4100').waitFor();
    await expect.poll(() => inSight(line('4100'))).toBe(true);
    goOn();
    expect(opened.problems).toEqual([]);
  });

  it('is searched as a whole, and a reload keeps search and page', async () => {
    const name = `ada-${++tries}`;
    await idleAgent(ask, name, { task: `printf 'a Nee%s here\\n' dle; seq -f 'row %g' 310` });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}/log`);
    await page.locator('.log').getByText('row 310', { exact: true }).waitFor();
    expect(await page.getByText('a Needle here').count()).toBe(0);
    await page.getByLabel('Search the log').fill('needle');
    await page.locator('.log').getByText('a Needle here').waitFor();
    await page.getByText('1 match').waitFor();
    await page.reload();
    await page.locator('.log').getByText('a Needle here').waitFor();
    expect(await page.getByLabel('Search the log').inputValue()).toBe('needle');
    await page.getByLabel('Search the log').fill('ROW 2');
    await page.getByText('111 matches').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.locator('.log').getByText('row 2', { exact: true }).waitFor();
    await page.reload();
    await page.locator('.log').getByText('row 2', { exact: true }).waitFor();
    await page.getByText('Page 2 of 2').waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('keeps the page of the history and the moment of the timeline over a reload', async () => {
    const name = `ada-${++tries}`;
    await idleAgent(ask, name, { task: 'for i in $(seq 21); do fleet report "step $i"; done' });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}/history`);
    await page.getByText('step 21', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText(/^Page 2 of/).waitFor();
    await page.reload();
    await page.getByText(/^Page 2 of/).waitFor();
    expect(await page.getByText('step 21', { exact: true }).count()).toBe(0);

    await page.getByRole('link', { name: 'Timeline' }).click();
    const moment = page.getByLabel('Status at');
    await moment.fill('2099-01-01T00:00:00');
    await page.reload();
    await page.locator('.timeline').waitFor();
    expect(await moment.inputValue()).toMatch(/^2099-01-01T00:00/);
    await page.getByRole('button', { name: 'Now' }).click();
    await expect.poll(() => moment.inputValue()).toBe('');
    await page.goto(`${served.url}/agents/${name}/timeline?at=nonsense`);
    await page.locator('.timeline').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
