import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { without } from '../agents/agents-cache.ts';
import { realFleet, type RealFleet } from '../agents/real-fleet.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { agentOf, askAs, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

const { missing, why } = without('claude');

describe.skipIf(withoutBrowser || missing)(`the real Claude Code on the page${why}`, () => {
  let real: RealFleet;
  let ask: Ask;
  let served: ServedFleet;
  let browser: Browser;
  let workspace = '';
  let tries = 0;
  beforeAll(async () => {
    real = await realFleet('claude');
    ask = askAs(real.fleet.fleet);
    const { workspace_id } = await idleAgent(ask, 'ada', { task: scriptText([{ text: 'Ready.' }]) });
    workspace = join(real.fleet.home, 'agents', workspace_id, 'work');
    served = await serveFleet(real.fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await real[Symbol.asyncDispose]();
  });

  /** What another try left behind is ended. */
  async function atRest(): Promise<void> {
    if ((await agentOf(ask, 'ada')).status === 'busy')
      await ask('cancel_agent_task', { agent_name: 'ada' }).catch(() => {});
    await waitIdle(ask, 'ada');
  }

  it('asks in the inbox, goes on when it is allowed, and its conversation and changes are shown', async () => {
    await atRest();
    await using opened = await openPage(browser, served);
    const { page } = opened;
    const file = join(workspace, `greeting-${++tries}.ts`);
    const written = `Greeting ${tries} is written.`;
    const content = 'export const greeting = "hello";\n';
    await page.goto(`${served.url}/agents/ada`);
    await page
      .getByLabel('Task for ada')
      .fill(
        scriptText([
          { text: 'I **will** write a greeting.', tool: 'Write', input: { file_path: file, content } },
          { text: written },
        ]),
      );
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByText('will', { exact: true }).first().waitFor();

    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.locator('.card.current .patch-line.added', { hasText: 'greeting' }).waitFor();
    expect(existsSync(file)).toBe(false);
    await page.keyboard.press('y');
    await page.getByText('Nothing waits for you').waitFor();
    await waitIdle(ask, 'ada');
    expect(existsSync(file)).toBe(true);

    await page.goto(`${served.url}/agents/ada`);
    await page.getByText(written).first().waitFor();
    await page.getByRole('link', { name: /^Changes/ }).click();
    await page
      .getByRole('group', { name: `Changes of ${basename(file)}` })
      .locator('.patch-line.added .code-keyword', { hasText: 'export' })
      .waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('is stopped in the middle of an answer', async () => {
    await atRest();
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/ada`);
    const endless = scriptText([{ text: 'one more line\n', repeat: 400, slow: 200 }]);
    await page.getByLabel('Task for ada').fill(endless);
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByText('one more line').first().waitFor();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    const [agent] = await waitIdle(ask, 'ada');
    expect(agent).toMatchObject({ status: 'idle' });
    await page
      .getByText(/canceled/i)
      .first()
      .waitFor();
  });
});
