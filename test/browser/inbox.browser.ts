import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpFleet, questionOf, steps } from '../acp/acp-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { agentOf, askAs, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { expectAccessible, launchBrowser, openPage, withoutBrowser } from './open-page.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';

describe.skipIf(withoutBrowser)('the inbox', () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let tries = 0;
  beforeAll(async () => {
    fleet = acpFleet();
    fleet.configure(({ projects }) => Object.assign(projects['DataOne'] ?? {}, { stuck_after: '1s' }));
    ask = askAs(fleet.fleet);
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  /** Agents of this try only, each with a question or whatever else its task leads to. */
  async function withAgents(
    tasks: Readonly<Record<string, string>>,
    use: (names: (name: string) => string) => Promise<void>,
  ): Promise<void> {
    const number = ++tries;
    const named = (name: string): string => `${name}-${number}`;
    try {
      for (const [name, task] of Object.entries(tasks))
        await ask('create_agent', { project: 'Setup', task, name: named(name) });
      await use(named);
    } finally {
      for (const { name } of (await ask('list_agents'))['agents'] as { name: string }[])
        await ask('delete_agent', { agent_name: name });
    }
  }
  const card = (page: Page, name: string) =>
    page.locator('.card', { has: page.getByText(name, { exact: true }) });

  it('moves no entry when a question arrives, and brings it first on demand', async () => {
    const go = join(fleet.directory, `go-${tries + 1}`);
    const late = steps({ hold: go }, { run: 'echo late' });
    await withAgents({ ada: steps({ run: 'echo early' }), kay: late, sony: late }, async (named) => {
      await questionOf(ask, named('ada'));
      await using opened = await openPage(browser, served);
      const { page } = opened;
      await page.goto(`${served.url}/inbox`);
      await page.locator('.card.current', { hasText: named('ada') }).waitFor();
      const before = await card(page, named('ada')).boundingBox();
      writeFileSync(go, '');
      await page.getByRole('button', { name: '2 new: show them first' }).waitFor();
      expect(await page.locator('.card').count()).toBe(3);
      expect(await card(page, named('ada')).boundingBox()).toEqual(before);
      expect(await page.locator('.card').first().textContent()).toContain(named('ada'));
      await page.locator('.card.current', { hasText: named('ada') }).waitFor();
      await expectAccessible(page);

      await page.getByRole('button', { name: '2 new: show them first' }).click();
      await page.locator('.cards > li:last-child', { hasText: named('ada') }).waitFor();
      await page.locator('.card.current:focus', { hasText: 'echo late' }).waitFor();
      await page.keyboard.press('n');
      await expect.poll(() => page.locator('.card').count()).toBe(2);
      await page.locator('.card.current', { hasText: 'echo late' }).waitFor();
      await page.keyboard.press('n');
      await page.locator('.card.current', { hasText: named('ada') }).waitFor();
      await page.keyboard.press('n');
      await page.getByText('Nothing waits for you').waitFor();
      await expect.poll(() => page.evaluate(`document.activeElement.textContent`)).toBe('Inbox');
      expect(opened.problems).toEqual([]);
    });
  });

  it('lets a command be allowed only after all of it was on the screen', async () => {
    const lines = Array.from({ length: 120 }, (_, at) => `echo line ${at}`).join('\n');
    await withAgents({ ada: steps({ run: `${lines}; echo the end ${'x'.repeat(400)}` }) }, async (named) => {
      await questionOf(ask, named('ada'));
      await using opened = await openPage(browser, served);
      const { page } = opened;
      await page.goto(`${served.url}/inbox`);
      await page.locator('.card.current', { hasText: named('ada') }).waitFor();
      const allow = page.getByRole('button', { name: /^Yes/ });
      const rest = page.getByRole('button', { name: /^Show the rest/ });
      await rest.waitFor();
      expect(await allow.isDisabled()).toBe(true);
      // From the first line to the last at once: what is between was not seen.
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByText('It can be allowed once').waitFor();
      expect(await allow.isDisabled()).toBe(true);
      await expect
        .poll(async () => {
          if (await rest.isVisible()) await page.keyboard.press('y');
          return allow.isEnabled();
        })
        .toBe(true);
      expect((await ask('list_approvals'))['total_count']).toBe(1);
      await allow.click();
      await page.getByText('Nothing waits for you').waitFor();
    });
  });

  it('breaks the long lines of an edit, so that all of it can be seen', async () => {
    const content = `${'a'.repeat(3_000)} the end of the line\n`;
    await withAgents({ ada: steps({ write: 'long.txt', before: '', content }) }, async (named) => {
      await questionOf(ask, named('ada'));
      await using opened = await openPage(browser, served);
      const { page } = opened;
      await page.goto(`${served.url}/inbox`);
      const patch = page.locator('.patch', { hasText: 'the end of the line' });
      await patch.waitFor();
      expect(await patch.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    });
  });

  it('puts a stuck agent away, and cancels the task of another', async () => {
    await withAgents({}, async () => {
      const names = [`slow-${tries}`, `slower-${tries}`];
      const task = steps({ hold: join(fleet.directory, 'never') });
      for (const name of names) await ask('create_agent', { project: 'DataOne', task, name });
      await until(
        () => Promise.all(names.map((name) => agentOf(ask, name))),
        (agents) => agents.every(({ stuck }) => stuck),
      );
      await using opened = await openPage(browser, served);
      const { page } = opened;
      await page.goto(`${served.url}/inbox`);
      const [first, second] = names.map((name) => card(page, name));
      await first?.getByRole('button', { name: /^Mark as seen/ }).click();
      await first?.waitFor({ state: 'detached' });
      expect((await agentOf(ask, names[0] ?? '')).status).toBe('busy');
      await second?.getByRole('button', { name: 'Cancel the task' }).click();
      await until(
        () => agentOf(ask, names[1] ?? ''),
        ({ status }) => status === 'idle',
      );
    });
  });

  it('shows conflicts as something that waits, until they are put away', async () => {
    await withAgents({}, async () => {
      const number = tries;
      const change = (text: string): string =>
        `echo ${text} > shared-${number}.txt; git add .; ${AS} commit --quiet -m ${text}`;
      const names = [`ada-${number}`, `iris-${number}`];
      for (const name of names) await idleAgent(ask, name, { role: 'shell', task: change(name) });
      await until(
        async () => (await ask('list_conflicts'))['conflicts'] as unknown[],
        (found) => found.length === 1,
      );
      await using opened = await openPage(browser, served);
      const { page } = opened;
      await page.goto(`${served.url}/inbox`);
      await page.locator('.card', { hasText: `shared-${number}.txt` }).waitFor();
      expect(await page.getByText('Nothing waits for you').count()).toBe(0);
      await page.getByRole('link', { name: /Inbox 1 waiting/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Put away' }).click();
      await page.getByText('Nothing waits for you').waitFor();
      await page.reload();
      await page.getByText('Nothing waits for you').waitFor();
      await agentOf(ask, `ada-${number}`);
    });
  });
});
