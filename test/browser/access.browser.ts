import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { agentOf, askAs, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { expectAccessible, goByKeys, launchBrowser, loaded, openPage, withoutBrowser } from './open-page.ts';

/** A file whose changes have every colour, added and removed. */
const CODE = String.raw`printf '// a comment
export class Name { run(value: string) { return "text" + 42 + /x/.test(value); } }
' > code.ts`;

const VIEWS = [
  '/inbox',
  '/fleet',
  '/merge',
  '/tools',
  '/chat',
  '/settings',
  '/new',
  '/agents/sony',
  '/agents/sony/changes',
  '/agents/sony/history',
  '/agents/sony/log',
  '/agents/sony/timeline',
  '/agents/sony/details',
];

describe.skipIf(withoutBrowser)('the page, for everyone', () => {
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
    await idleAgent(ask, 'sony', { task: `echo hello; echo x > x.txt; ${CODE}; exit 3` });
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  describe.each(['light', 'dark'] as const)('has no violation of WCAG 2.2 AA: %s', (colorScheme) => {
    it.each(VIEWS)('%s', async (view) => {
      await using opened = await openPage(browser, served, { colorScheme });
      await opened.page.goto(served.url + view);
      await loaded(opened.page);
      await expectAccessible(opened.page);
      expect(opened.problems).toEqual([]);
    });

    it('the palette', async () => {
      await using opened = await openPage(browser, served, { colorScheme });
      await loaded(opened.page);
      await opened.page.keyboard.press('Control+k');
      await opened.page.getByRole('combobox').waitFor();
      await expectAccessible(opened.page);
    });
  });

  it.each([320, 768])('fits into %i pixels without scrolling sideways', async (width) => {
    await using opened = await openPage(browser, served, {
      viewport: { width, height: 700 },
      hasTouch: true,
    });
    for (const view of VIEWS) {
      await opened.page.goto(served.url + view);
      await loaded(opened.page);
      const wider = await opened.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([view, Number(wider) > 0]).toEqual([view, false]);
    }
  });

  it('is used by keyboard alone: palette, an agent, its tabs, back', async () => {
    if (!(await agentOf(ask, 'sony')).needs_attention) {
      await ask('start_agent_task', { agent_name: 'sony', task_description: 'exit 3' });
      await until(
        () => agentOf(ask, 'sony'),
        ({ status, needs_attention }) => status !== 'busy' && needs_attention,
      );
    }
    await using opened = await openPage(browser, served);
    const { page } = opened;
    // The list of the server may be a moment behind the agent.
    await page.goto(`${served.url}/inbox`);
    await page.locator('.card.current').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Keyboard shortcuts').waitFor();
    await page.keyboard.press('Escape');
    await goByKeys(page, 'f', '/fleet');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('sony changes');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/agents/sony/changes');
    await page.locator('.patch-line.added').first().waitFor();
    await page.keyboard.press(']');
    await page.waitForURL('**/agents/sony/history');
    await page.goBack();
    await page.waitForURL('**/agents/sony/changes');
    await goByKeys(page, 'i', '/inbox');
    await page.locator('.card.current').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Nothing waits for you').waitFor();
  });

  it('signs in by one click on a link that a preview does not use up', async () => {
    const { stdout } = await runFleet(['open', '--print'], { env: fleet.env });
    const link = /http:\/\/\S+/.exec(stdout)?.[0] ?? '';
    await (await fetch(link)).text();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in to Fleet' }).click();
    await page
      .getByRole('heading', { name: /Fleet|Inbox/ })
      .first()
      .waitFor();
    expect(page.url()).not.toContain('code=');
    const again = await (await browser.newContext()).newPage();
    await again.goto(link);
    await again.getByRole('button', { name: 'Sign in to Fleet' }).click();
    await again.getByText('has been used').waitFor();
    await context.close();
  });

  it('gives its connection back while nobody looks at it, and resumes', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.clock.install();
    await page.goto(`${served.url}/fleet`);
    await page.getByText('Live', { exact: true }).waitFor();
    const turn = (state: string): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await turn('hidden');
    await page.clock.fastForward(31_000);
    await ended;
    await page.getByText('Paused', { exact: true }).waitFor();
    await turn('visible');
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('shows no button to a token that may only read', async () => {
    const args = ['token', 'create', `reader-${++tries}`, '--scopes', 'read', '--json'];
    const { stdout } = await runFleet(args, { env: fleet.env });
    const { token } = JSON.parse(stdout) as { token: string };
    await using opened = await openPage(browser, { ...served, token });
    const { page } = opened;
    await page.goto(`${served.url}/agents/sony/changes`);
    await page.locator('.patch-line.added').first().waitFor();
    await page.getByText('read only').waitFor();
    for (const name of ['Stop', 'Delete…', 'Land…', 'Fork…', 'Send'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  });

  it('lists tokens in Settings, and revokes one', async () => {
    const robot = `robot-${++tries}`;
    const args = ['token', 'create', robot, '--scopes', 'read', '--json'];
    const { stdout } = await runFleet(args, { env: fleet.env });
    const { token } = JSON.parse(stdout) as { token: string };
    const status = async (): Promise<number> =>
      (await fetch(`${served.url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/settings`);
    const line = page.locator('.line-item', { hasText: robot });
    await line.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await line.waitFor({ state: 'detached' });
    expect(await status()).toBe(401);
    expect(opened.problems).toEqual([]);
  });
});
