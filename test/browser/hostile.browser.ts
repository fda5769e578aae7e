import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { launchBrowser, loaded, openPage, withoutBrowser } from './open-page.ts';

const MARKUP = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe.skipIf(withoutBrowser)('what agents print', () => {
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
    served = await serveFleet(fleet.env);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  it('is shown as text: markup, colours, marks that reorder, a name made of markup', async () => {
    const name = `mallory-${++tries}`;
    const file = `${MARKUP.replaceAll('/', '')}.txt`;
    await idleAgent(ask, name, {
      task: [
        `cat <<'END'\n${MARKUP}\nEND`,
        String.raw`printf '\033[31mred\033[0m \033]8;;https://example.com\033\\link\n'`,
        String.raw`printf 'load 10%%\rload 50%%\r\033[38;5;208mloaded \033[38;2;200;20;90mall\033[0m\n'`,
        String.raw`printf 'safe \342\200\256txt.exe\n'`,
        `fleet report ${quoted(`${MARKUP} [click](javascript:alert(1))`)}`,
        `echo ${quoted(MARKUP)} > ${quoted(file)}`,
        'exit 1',
      ].join('\n'),
    });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    for (const view of ['/inbox', '/fleet', '', '/changes', '/history', '/log', '/details'].map((each) =>
      each === '/inbox' || each === '/fleet' ? each : `/agents/${name}${each}`,
    )) {
      await page.goto(served.url + view);
      await page.getByText(name).first().waitFor();
      await loaded(page);
      expect([view, await page.title()]).not.toEqual([view, 'owned']);
      expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0);
    }
    await page.goto(`${served.url}/agents/${name}`);
    await page.locator('.ansi-red', { hasText: 'red' }).first().waitFor();
    await page.getByText('safe ⟨202e⟩txt.exe').first().waitFor();
    for (const text of ['loaded', 'all'])
      await page.locator('span[style*="rgb"]', { hasText: text }).first().waitFor();
    expect(await page.getByText('⟨d⟩').count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });

  it('can be a million lines, or one of ten megabytes, and the page stays usable', async () => {
    const name = `loud-${++tries}`;
    await idleAgent(ask, name, {
      task: `seq 1000000; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo the end`,
    });
    await using opened = await openPage(browser, served);
    const { page } = opened;
    await page.goto(`${served.url}/agents/${name}`);
    await page.getByText('the end', { exact: true }).first().waitFor();
    const nodes = await page.evaluate<number>(`document.querySelectorAll('*').length`);
    expect(nodes).toBeLessThan(20_000);
    await page.getByRole('link', { name: 'Log' }).click();
    await page.locator('.log').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
