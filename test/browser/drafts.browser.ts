import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acpFleet, logOf, questionOf, steps } from '../acp/acp-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { expectAccessible, launchBrowser, openPage, withoutBrowser } from './open-page.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';

describe.skipIf(withoutBrowser)('what is written and not sent', () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let name = '';
  let tries = 0;
  beforeAll(async () => {
    fleet = acpFleet();
    ask = askAs(fleet.fleet);
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  beforeEach(async () => {
    for (const agent of await agentsOf(ask)) await ask('delete_agent', { agent_name: agent.name });
    name = `ada-${++tries}`;
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  /** Another view, and this one again; and a reload. */
  async function leave(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await page.goBack();
    await page.reload();
  }

  it('is a task: there after a reload, and gone once sent', async () => {
    await idleAgent(ask, name, { task: steps({ say: 'ready' }) });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}`);
    const box = page.getByLabel(`Task for ${name}`);
    await box.fill('half a task');
    await leave(page);
    await expect.poll(() => box.inputValue()).toBe('half a task');
    await page.getByRole('button', { name: /^Send/ }).click();
    await expect.poll(() => box.inputValue()).toBe('');
    await leave(page);
    await box.waitFor();
    expect(await box.inputValue()).toBe('');
    const messages = (await history(ask, name)).map(({ message }) => message);
    expect(messages.filter((message) => message === 'half a task')).toHaveLength(1);
    expect(opened.problems).toEqual([]);
  });

  it('is a note, which goes with the answer', async () => {
    await ask('create_agent', { project: 'Setup', name, task: steps({ run: 'make all' }) });
    await questionOf(ask, name);
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/inbox`);
    await page.getByText('Add a note for the agent').click();
    await page.getByLabel('Note for the agent').fill('not on a Friday');
    await leave(page);
    await expect.poll(() => page.getByLabel('Note for the agent').inputValue()).toBe('not on a Friday');
    await page.getByRole('button', { name: /^No/ }).click();
    await page.getByText('Nothing waits for you').waitFor();
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0);
    await page.goto(`${served.url}/agents/${name}`);
    await page.getByText('not on a Friday').waitFor();
  });

  it('is a comment on a line, and the message of the review', async () => {
    await idleAgent(ask, name, {
      role: 'shell',
      task: `printf 'one\\ntwo\\n' > list.txt; git add .; ${AS} commit --quiet -m list`,
    });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}/changes`);
    await page.getByRole('button', { name: 'Comment on line 2' }).click();
    const comment = page.getByLabel('Comment on the line');
    await comment.fill('three is missing');
    await leave(page);
    await expect.poll(() => comment.inputValue()).toBe('three is missing');
    await page.getByRole('button', { name: 'Add to the review' }).click();
    await page.getByText('not sent yet').waitFor();
    expect(await comment.count()).toBe(0);
    await page.getByLabel('Message of the review').fill('almost');
    await leave(page);
    await expect.poll(() => page.getByLabel('Message of the review').inputValue()).toBe('almost');
    await page.getByRole('button', { name: 'Comment on line 1' }).click();
    await comment.fill('never mind');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Comment on line 1' }).click();
    expect(await comment.inputValue()).toBe('');
  });

  it('is a new agent with its spec, and an error is shown where it is', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/new`);
    await page.getByLabel('Task', { exact: true }).fill(steps({ say: 'made by the page' }));
    await page.getByText('Spec: what all').click();
    await page.getByLabel('Objective').fill('It works');
    await page.getByText('Start from a branch').click();
    await page.getByLabel('Base').fill('no-such-branch');
    await leave(page);
    await expect.poll(() => page.getByLabel('Base').inputValue()).toBe('no-such-branch');
    await page.getByText('Start from a branch').click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.field', { hasText: 'Base' }).locator('.error').waitFor();
    await page.getByLabel('Base').and(page.locator(':focus')).waitFor();
    await page.getByLabel('Base').fill('');
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(`**/agents/${name}`);
    expect((await agentOf(ask, name)).spec).toBe('It works');
    await page.goto(`${served.url}/new`);
    await page.getByLabel('Task', { exact: true }).waitFor();
    expect(await page.getByLabel('Task', { exact: true }).inputValue()).toBe('');
  });

  it('is a choice of several answers, made by keys', async () => {
    const choices = ['one', 'two, or so', 'three'].map((title, at) => ({ const: `c,${at}`, title }));
    const parts = { type: 'array', title: 'Which parts', items: { anyOf: choices } };
    const form = { type: 'object', properties: { parts }, required: ['parts'] };
    await ask('create_agent', { project: 'Setup', name, task: steps({ ask: 'Which?', form }) });
    await questionOf(ask, name);
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/inbox`);
    await page.locator('.card.current').waitFor();
    await page.keyboard.press('2');
    await expect.poll(() => page.getByLabel('two, or so').isChecked()).toBe(true);
    await expectAccessible(page);
    await leave(page);
    await page.locator('.card.current').waitFor();
    expect(await page.getByLabel('two, or so').isChecked()).toBe(true);
    await page.keyboard.press('3');
    await page.keyboard.press('y');
    await page.getByText('Nothing waits for you').waitFor();
    const answer = await until(
      async () => (await logOf(ask, name)).find(({ message }) => message.startsWith('answer:'))?.message,
      (message) => message !== undefined,
    );
    expect(answer).toContain('"parts":["c,1","c,2"]');
    expect(opened.problems).toEqual([]);
  });
});
