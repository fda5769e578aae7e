import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpFleet, steps } from '../acp/acp-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { expectAccessible, launchBrowser, openPage, withoutBrowser, type OpenedPage } from './open-page.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';

describe.skipIf(withoutBrowser)('the page, with agents at work', () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let opened: OpenedPage;
  let tries = 0;
  beforeAll(async () => {
    fleet = acpFleet();
    ask = askAs(fleet.fleet);
    await idleAgent(ask, 'ada', {
      role: 'shell',
      task: `printf 'one\\ntwo\\n' > list.txt; git add .; ${AS} commit --quiet -m list; echo done`,
    });
    await idleAgent(ask, 'sony', { task: steps({ think: 'hm' }, { say: 'I am **ready**' }) });
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
    opened = await openPage(browser, served);
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  /** Ends what another try left behind. */
  async function atRest(name: string): Promise<void> {
    if ((await agentOf(ask, name)).status === 'busy')
      await ask('cancel_agent_task', { agent_name: name }).catch(() => {});
    await waitIdle(ask, name);
    await ask('acknowledge_agent', { agent_name: name }).catch(() => {});
  }

  it('starts with the fleet while nothing waits, and with the inbox when something does', async () => {
    const { page } = opened;
    await atRest('sony');
    await page.goto(served.url);
    await page.waitForURL('**/fleet');
    await page.locator('.summary').filter({ hasText: '2 agents, 0 busy, none needs you' }).waitFor();
    await ask('start_agent_task', { agent_name: 'sony', task_description: steps({ run: 'make all' }) });
    await expect.poll(() => page.title()).toBe('(1) Fleet');
    await page.goto(served.url);
    await page.waitForURL('**/inbox');
    await page.getByText('wants to run a command').waitFor();
    await page.getByText('make all', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  it('answers a permission by one key, with a note, and it is gone at once in another window', async () => {
    await atRest('sony');
    await ask('start_agent_task', { agent_name: 'sony', task_description: steps({ run: 'make all' }) });
    await using other = await openPage(browser, served);
    const { page } = opened;
    for (const each of [page, other.page]) {
      await each.goto(`${served.url}/inbox`);
      await each.locator('.card.current', { hasText: 'wants to run a command' }).waitFor();
    }
    await page.getByText('Add a note for the agent').click();
    await page.getByLabel('Note for the agent').fill('not today');
    await page.getByRole('heading', { name: 'Inbox' }).click();
    await page.keyboard.press('n');
    await page.getByText('Nothing waits for you').waitFor();
    await other.page.getByText('Nothing waits for you').waitFor();
    await waitIdle(ask, 'sony');
    await page.goto(`${served.url}/agents/sony`);
    await page.getByText('Denied:').last().waitFor();
    await page.getByText('not today').last().waitFor();
  });

  it('shows the conversation as it happens, and gives tasks', async () => {
    const { page } = opened;
    await atRest('sony');
    const done = `all done here ${++tries}`;
    await page.goto(`${served.url}/agents/sony`);
    await page.locator('.markdown strong', { hasText: 'ready' }).first().waitFor();
    await page
      .getByLabel('Task for sony')
      .fill(steps({ plan: ['first step'] }, { run: 'echo from the shell', free: true }, { say: done }));
    await page.keyboard.press('Control+Enter');
    await page.getByText(done).first().waitFor();
    await page.getByText('first step').first().waitFor();
    await page.locator('summary', { hasText: 'echo from the shell' }).last().click();
    await page.locator('pre', { hasText: 'from the shell' }).last().waitFor();
    await expectAccessible(page);
  });

  it('shows what changed, and sends comments on lines as one review', async () => {
    const { page } = opened;
    await page.goto(`${served.url}/agents/ada/changes`);
    await page.locator('.patch-line.added', { hasText: 'two' }).waitFor();
    await page.getByRole('button', { name: 'Comment on line 2' }).click();
    await page.getByLabel('Comment on the line').fill('three is missing');
    await page.keyboard.press('Control+Enter');
    await page.getByText('ada, not sent yet').or(page.getByText('not sent yet')).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send the review' }).click();
    await until(
      () => history(ask, 'ada'),
      ([task]) => String(task?.['message']).includes('three is missing'),
    );
    await waitIdle(ask, 'ada');
  });

  it('lands the work, and takes it back', async () => {
    const { page } = opened;
    const name = `lander-${++tries}`;
    const file = `${name}.txt`;
    const task = `echo one > ${file}; git add .; ${AS} commit --quiet -m ${name}`;
    await idleAgent(ask, name, { role: 'shell', task });
    await page.goto(`${served.url}/agents/${name}/changes`);
    await page.getByRole('button', { name: 'Land…' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Land', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/landed on main/).waitFor();
    expect(readFileSync(join(fleet.repository, file), 'utf8')).toBe('one\n');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(execFileSync('git', ['-C', fleet.repository, 'ls-files'], { encoding: 'utf8' })).not.toContain(
      file,
    );
    await ask('delete_agent', { agent_name: name });
  });

  it('says whether the fleet will merge', async () => {
    const { page } = opened;
    const kay = `kay-${++tries}`;
    await idleAgent(ask, kay, {
      role: 'shell',
      task: `echo other > list.txt; git add .; ${AS} commit --quiet -m other`,
    });
    await page.goto(`${served.url}/merge`);
    await page.getByRole('button', { name: /^Make (a forecast|it again)/ }).click();
    await page
      .getByText(/conflicts with (ada|kay-\d+) in list.txt/)
      .first()
      .waitFor();
    await page.locator('td.conflict', { hasText: 'list.txt' }).first().waitFor();
    await expectAccessible(page);
    await ask('delete_agent', { agent_name: kay });
  });

  it('creates an agent, and shows an error at its field', async () => {
    const { page } = opened;
    const name = `fresh-${++tries}`;
    await page.goto(`${served.url}/fleet`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('c');
    await page.waitForURL('**/new');
    await page.getByLabel('Task', { exact: true }).fill('echo hello from the page');
    await page.getByLabel('Role').selectOption('shell');
    await page.getByLabel('Name').fill('not a name');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.field .error').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(`**/agents/${name}`);
    await page.locator('.log', { hasText: 'hello from the page' }).first().waitFor();
    expect((await agentOf(ask, name)).role).toBe('shell');
    await ask('delete_agent', { agent_name: name });

    await page.keyboard.press('c');
    await page.waitForURL('**/new');
    const suggested = (await page.getByLabel('Name').getAttribute('placeholder')) ?? '';
    await page.getByText(`Left empty, it is called ${suggested}.`).waitFor();
    await page.getByLabel('Task', { exact: true }).fill('echo hello again');
    await page.getByLabel('Role').selectOption('shell');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(`**/agents/${suggested}`);
    await ask('delete_agent', { agent_name: suggested });
  });

  it('deletes several agents at once', async () => {
    const { page } = opened;
    const names = [`old-${++tries}`, `older-${tries}`];
    for (const name of names) await idleAgent(ask, name, { role: 'shell', task: 'true' });
    const left = (await agentsOf(ask)).filter(({ name }) => !names.includes(name));
    await page.goto(`${served.url}/fleet`);
    for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page
      .locator('.summary')
      .filter({ hasText: `${left.length} agents` })
      .waitFor();
    expect((await agentsOf(ask)).map(({ name }) => name).toSorted()).toEqual(
      left.map(({ name }) => name).toSorted(),
    );
  });

  it('goes on without a gap when the server is killed and started again', async () => {
    const { page } = opened;
    const port = new URL(served.url).port;
    await atRest('ada');
    await served.kill('SIGKILL');
    await page.getByText('Connection lost').waitFor();
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.locator('main .problem').waitFor();
    await ask('start_agent_task', { agent_name: 'ada', task_description: 'echo while you were away' });
    await waitIdle(ask, 'ada');
    served = await serveFleet(fleet.env, '--port', port);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await page.locator('main .card').first().waitFor();
    expect(await page.locator('main .problem').count()).toBe(0);
    await page.getByRole('link', { name: 'Fleet', exact: true }).last().click();
    await page.getByText('while you were away').first().waitFor();
  });

  it('threw nothing on the way', () => {
    expect(opened.problems).toEqual([]);
  });
});
