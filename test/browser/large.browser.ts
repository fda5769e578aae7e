import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStore } from '../../bench/fill-store.ts';
import { PROJECT } from '../../bench/stage.ts';
import { ensureHome } from '../../src/platform/home.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { makeRepository } from '../support/fleets/local-fleet.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

describe.skipIf(withoutBrowser)('the page, with 1,000 agents', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-test-large-'));
  let served: ServedFleet;
  let browser: Browser;
  beforeAll(async () => {
    const repository = makeRepository(join(directory, 'repository'));
    const home = ensureHome(join(directory, 'home'));
    const config = join(directory, 'fleet.yaml');
    writeFileSync(config, JSON.stringify({ version: 1, projects: { [PROJECT]: { repository } } }));
    const env = { ...process.env, FLEET_HOME: home, FLEET_CONFIG: config };
    const place = { home, config, cwd: directory, env: {} };
    fillStore(place, { agents: 1_000, journals: 0, repository });
    served = await serveFleet(env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  it('lists them all, has few of them in the document, and finds one', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/fleet`);
    await page.locator('.summary').filter({ hasText: '1000 agents' }).waitFor();
    const rows = page.locator('.agent-line');
    const first = await rows.first().getAttribute('data-agent');
    expect(await rows.count()).toBeLessThan(60);
    await page.mouse.wheel(0, 30_000);
    await expect.poll(() => rows.first().getAttribute('data-agent')).not.toBe(first);
    expect(await rows.count()).toBeLessThan(60);
    const name = (await rows.last().getAttribute('data-agent')) ?? '';
    await page.keyboard.press('/');
    await page.keyboard.type(name);
    await expect.poll(() => rows.first().getAttribute('data-agent')).toContain(name);
  });

  it('has few of them in the document in groups too, and those that come into sight when others go', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/fleet?group=status`);
    const rows = page.locator('.agent-line');
    await rows.first().waitFor();
    const groups = page.locator('main section h2 bdi');
    expect(await groups.count()).toBeGreaterThan(1);
    await expect.poll(() => rows.count()).toBeLessThan(60);
    const last = (await groups.last().textContent()) ?? '';
    await page.getByLabel('Search agents').fill(last);
    await expect.poll(() => groups.count()).toBe(1);
    await rows.nth(9).waitFor();
    expect(opened.problems).toEqual([]);
  });
});
