import { writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionPlace, type SessionPlace } from '../session/session-place.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { signalFile } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { launchBrowser, openPage, withoutBrowser } from './open-page.ts';

describe.skipIf(withoutBrowser)('the chat', () => {
  let place: SessionPlace;
  let served: ServedFleet;
  let browser: Browser;
  let tries = 0;
  beforeAll(async () => {
    place = await sessionPlace();
    served = await serveFleet(place.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  it('shows an answer in its own conversation only, and deletes one after it has asked', async () => {
    const file = signalFile(place.fleet, `hold-${++tries}`);
    const first = await place.askJson([{ text: `First ${tries}.` }]);
    const second = await place.askJson([{ text: `Second ${tries}.` }]);
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/chat/${first.conversation_id}`);
    const conversation = page.getByRole('list', { name: 'Conversation', exact: true });
    await conversation.getByText(`First ${tries}.`, { exact: true }).waitFor();
    await page.getByLabel('Message').fill(scriptText([{ text: 'Slowly, and later.', hold: file }]));
    await page.keyboard.press('Control+Enter');
    await conversation.getByText('Slowly').waitFor();
    await page.locator(`a[href="/chat/${second.conversation_id}"]`).click();
    await conversation.getByText(`Second ${tries}.`, { exact: true }).waitFor();
    await page.getByLabel('Message').fill('half a message');
    const answered = page.waitForEvent('requestfinished', (request) =>
      request.url().endsWith('/api/v1/chat'),
    );
    writeFileSync(file, '');
    await answered;
    expect(await conversation.getByText('later').count()).toBe(0);
    await page.reload();
    await conversation.getByText(`Second ${tries}.`, { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('half a message');

    const listed = page.locator('.conversations li', {
      has: page.locator(`a[href="/chat/${second.conversation_id}"]`),
    });
    await listed.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await listed.count()).toBe(1);
    await listed.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await listed.waitFor({ state: 'detached' });
    await page.waitForURL('**/chat');
    await page.locator(`a[href="/chat/${first.conversation_id}"]`).click();
    await conversation.getByText('Slowly, and later.', { exact: true }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('gives back a message that was not taken', async () => {
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/chat`);
    await page.getByLabel('Message').fill('are you there?');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('are you there?');
  });
});
