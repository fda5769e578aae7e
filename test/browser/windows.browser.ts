import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { agentsOf, askAs, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

/** Keeps the titles of notifications: a browser without a screen shows none. */
const NOTIFICATIONS = `
  globalThis.notified = [];
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = () => Promise.resolve('granted');
    constructor(title, { silent }) { super(); if (!silent) globalThis.notified.push(title); }
    close() {}
  };`;

describe.skipIf(withoutBrowser)('two windows of one browser', () => {
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

  it('are signed out and in together', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    const other = await page.context().newPage();
    await other.goto(`${served.url}/fleet`);
    await other.getByText('Live', { exact: true }).waitFor();
    await page.goto(`${served.url}/settings`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).last().click();
    await other.getByText('This browser is no longer signed in.').waitFor();
    await page.getByLabel('Or use a token').fill('not-a-token-of-this-fleet');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The token does not belong to this fleet.').waitFor();
    await page.getByLabel('Or use a token').fill(served.token);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    for (const each of [page, other]) await each.getByText('Live', { exact: true }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('notify only while it was asked for, and once for each question', async () => {
    for (const { name } of await agentsOf(ask)) await ask('delete_agent', { agent_name: name });
    await using opened = await openPage(browser, served);
    const page = await settings(opened.page);
    const other = await settings(opened.page);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`,
    );
    const turn = async (button: string, text: string): Promise<void> => {
      await other.getByRole('button', { name: button }).click();
      await page.getByText(text).waitFor();
    };
    let questions = 0;
    /** Until the page has seen its question. */
    const asks = async (): Promise<string> => {
      const name = `ada-${++tries}`;
      await ask('create_agent', { project: 'Setup', name, task: steps({ run: 'make all' }) });
      await expect.poll(() => page.title()).toBe(`(${++questions}) Settings · Fleet`);
      return `${name} needs you`;
    };
    const notified = (): Promise<unknown> => page.evaluate('globalThis.notified');
    await asks();
    await turn('Notify me when an agent needs me', 'This browser notifies you');
    const ada = await asks();
    await expect.poll(notified).toEqual([ada]);
    await turn('Turn off', 'This browser does not notify you');
    await asks();
    await turn('Notify me when an agent needs me', 'This browser notifies you');
    const sony = await asks();
    await expect.poll(notified).toEqual([ada, sony]);
  });

  it('have the same settings', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    const other = await settings(page);
    await page.goto(`${served.url}/settings`);
    await page.getByRole('button', { name: 'Single-key shortcuts' }).click();
    await other.getByText('Single keys do nothing').waitFor();
    await other.getByRole('button', { name: 'Single-key shortcuts' }).click();
    await page.getByText('Single keys do something').waitFor();
  });

  async function settings(page: Page): Promise<Page> {
    const other = await page.context().newPage();
    await other.addInitScript(NOTIFICATIONS);
    await other.goto(`${served.url}/settings`);
    await other.getByRole('heading', { name: 'Settings' }).waitFor();
    return other;
  }
});
