import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unlikeRows } from '../contained/escape-rows.ts';
import { asUser, ContainedFleet, LEVELS, why } from '../contained/level.ts';
import { serveFleetAs } from '../support/fleets/fleet-process.ts';
import { until } from '../support/fleets/fleet-under-test.ts';
import { launchBrowser, withoutBrowser } from './open-page.ts';

describe.skipIf(withoutBrowser).each(LEVELS.filter(({ sealed }) => sealed))(
  'the web server of an agent $name',
  (level) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser.close());

    it.skipIf(level.skip !== undefined)(
      `gets nothing that opens Fleet from a browser that is signed in${why(level)}`,
      async () => {
        await using fleet = new ContainedFleet(level);
        await using served = await serveFleetAs(asUser(level.uid), fleet.env);
        const page = await (await browser.newContext()).newPage();
        await page.goto(/http:\/\/\S+/.exec(fleet.fleet('open', '--print'))?.[0] ?? '');
        await page.getByRole('button', { name: 'Sign in to Fleet' }).click();
        await page.waitForFunction(() => localStorage.length > 0);
        await page.context().addCookies([{ name: 'of-another-port', value: 'yes', url: served.url }]);

        fleet.create('mallory', 'serving', '{}');
        fleet.call('start_agent_task', {
          agent_name: 'mallory',
          task_description: JSON.stringify({ fleet: served.url }),
        });
        const address = await until(
          async () => fleet.lines('mallory')[0] ?? '',
          (line) => line.startsWith('http'),
        );
        await page.goto(address);
        await page.waitForFunction(`document.title === 'tried'`);
        fleet.idle('mallory');

        const [, ...lines] = fleet.lines('mallory');
        const outcomes = Object.fromEntries(
          lines.map((line) => {
            const { what, outcome } = JSON.parse(line) as { what: string; outcome: string };
            return [what, outcome] as const;
          }),
        );
        expect(Object.keys(outcomes)).toHaveLength(7);
        expect(
          unlikeRows(outcomes, { user: fleet.user, uses: ['receive a cookie of another port'] }),
        ).toEqual([]);
      },
    );
  },
);
