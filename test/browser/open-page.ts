import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import type { ServedFleet } from '../support/fleets/fleet-process.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** For `describe.skipIf`: there is no browser on this machine. */
export const withoutBrowser = inject('browser') === undefined;

export async function launchBrowser(): Promise<Browser> {
  const found = inject('browser');
  if (found === undefined) throw new Error('there is no browser');
  return chromium.launch({ executablePath: found.executablePath, args: [...found.args] });
}

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** What the page printed as an error, and what it threw. */
  readonly problems: readonly string[];
}

/** A browser window that is signed in. A window that the page asks for nothing after a problem fails the test. */
export async function openPage(
  browser: Browser,
  served: ServedFleet,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  await page.goto(`${served.url}/healthz`);
  await page.evaluate((token) => localStorage.setItem('fleet-session', token), served.token);
  await page.goto(served.url);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits until a view has loaded what it shows. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1, main .state.empty h2').first().waitFor();
  await page.locator('main .state.quiet').first().waitFor({ state: 'detached' });
}

/** Presses `g` and another key until the view is there: both must arrive within a second. */
export async function goByKeys(page: Page, key: string, path: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      return new URL(page.url()).pathname;
    })
    .toBe(path);
}

/** Every rule of axe for WCAG 2.2 AA, on what is shown now. */
export async function expectAccessible(page: Page): Promise<void> {
  // A script of the test, which the policy of the page would refuse as an element.
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const axe = (
      globalThis as unknown as { axe: { run(options: object): Promise<{ violations: unknown[] }> } }
    ).axe;
    const { violations: found } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return (found as { id: string; help: string; nodes: { html: string }[] }[]).map(
      ({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)),
      }),
    );
  });
  expect(violations).toEqual([]);
}
