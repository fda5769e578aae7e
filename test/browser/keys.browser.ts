import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { goByKeys, launchBrowser, loaded, openPage, withoutBrowser } from './open-page.ts';

const FOCUSED = `document.activeElement?.closest('[data-agent]')?.dataset.agent ?? ''`;

describe.skipIf(withoutBrowser)('keys', () => {
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
    for (const name of ['ada', 'iris', 'kay'])
      await idleAgent(ask, name, { task: `echo ${'word '.repeat(800)}` });
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  it('act on the row that has the focus, and selecting it moves no row', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/fleet`);
    await loaded(page);
    const rows = page.locator('.agent-line');
    const [first, second, third] = await rows.evaluateAll((all) =>
      all.map((row) => (row as unknown as { dataset: { agent: string } }).dataset.agent),
    );
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(first);
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(second);
    const before = await rows.first().boundingBox();
    // The focus moved by Tab or a click, not by j.
    await page.locator(`[data-agent="${third}"] .who a`).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    expect(await page.getByLabel(`Select ${third}`).isChecked()).toBe(true);
    expect(await rows.first().boundingBox()).toEqual(before);
    await page.keyboard.press('k');
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(second);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${second}`);
    expect(opened.problems).toEqual([]);
  });

  it('move in the palette, where the chosen entry stays in sight', async () => {
    await using opened = await openPage(browser, served, { viewport: { width: 800, height: 320 } });
    const { page } = opened;
    await loaded(page);
    await page.keyboard.press('Control+k');
    const list = page.getByRole('listbox', { name: 'Found' });
    const options = list.getByRole('option');
    const chosen = list.getByRole('option', { selected: true });
    await expect.poll(() => options.count()).toBeGreaterThan(10);
    for (let count = await options.count(); count > 1; count--) await page.keyboard.press('ArrowDown');
    await options.last().and(chosen).waitFor();
    const isInside = async (): Promise<boolean> => {
      const [inner, outer] = [await chosen.boundingBox(), await list.boundingBox()];
      if (inner === null || outer === null) return false;
      return inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1;
    };
    await expect.poll(isInside).toBe(true);
    for (let count = await options.count(); count > 1; count--) await page.keyboard.press('ArrowUp');
    await options.first().and(chosen).waitFor();
    await expect.poll(isInside).toBe(true);
  });

  it('do nothing alone once they are turned off, also after a reload', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/settings`);
    await page.getByRole('button', { name: 'Single-key shortcuts' }).click();
    await page.reload();
    await page.getByText('Single keys do nothing').waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    expect(page.url()).toContain('/settings');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Single-key shortcuts' }).click();
    await goByKeys(page, 'f', '/fleet');
  });

  it('and tabs are not hidden behind a long task: it is cut, with more of it on demand', async () => {
    await using opened = await openPage(browser, served, { viewport: { width: 390, height: 700 } });
    const { page } = opened;
    const name = `long-${++tries}`;
    const task = `: ${'word '.repeat(3_000)}; while ! test -e ${fleet.directory}/never; do sleep 0.1; done`;
    await ask('create_agent', { project: 'Setup', name, task });
    await page.goto(`${served.url}/agents/${name}`);
    const heading = page.locator('.agent-heading');
    await heading.getByText('word word').waitFor();
    expect((await heading.boundingBox())?.height).toBeLessThan(400);
    await heading.getByRole('button', { name: 'more' }).click();
    await heading.getByRole('button', { name: 'less' }).waitFor();
    expect((await heading.boundingBox())?.height).toBeGreaterThan(1_000);
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.waitForURL('**/timeline');
  });
});
