import type { Page } from 'playwright-core';

/** One thing that a stranger does on the page of the demo, as the README says. */
export interface StrangerStep {
  readonly does: string;
  act(page: Page): Promise<void>;
}

/** From the link that `npm start` prints to an answered question and a landed change. */
export function strangerPath(link: string): readonly StrangerStep[] {
  return [
    {
      does: 'Opens the link and signs in by one click.',
      act: async (page) => {
        await page.goto(link);
        await page.getByRole('button', { name: 'Sign in to Fleet' }).click();
        await page.getByRole('link', { name: 'Inbox' }).waitFor();
      },
    },
    {
      does: 'Answers the question of `kay` in the inbox.',
      act: async (page) => {
        await page.getByRole('link', { name: 'Inbox' }).click();
        await page.getByText('Which licence should tiny-kit have').first().waitFor();
        await page.getByLabel('Next task for kay').fill('MIT, please');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByLabel('Next task for kay').waitFor({ state: 'detached' });
      },
    },
    {
      does: 'Opens `ada` and looks at her changes.',
      act: async (page) => {
        await page.getByRole('link', { name: 'Fleet', exact: true }).last().click();
        await page.getByText('This is the demo. Next:').waitFor();
        await page.getByRole('link', { name: 'ada', exact: true }).click();
        await page.getByText('median is in stats.js, with a test').first().waitFor();
        await page.getByRole('link', { name: /^Changes/ }).click();
        await page.locator('.patch-line.added').first().waitFor();
      },
    },
    {
      does: 'Lands them.',
      act: async (page) => {
        await page.getByRole('button', { name: 'Land…' }).click();
        await page.getByRole('button', { name: 'Land', exact: true }).click();
        await page
          .getByRole('dialog')
          .getByText(/landed on main/)
          .waitFor();
        await page.getByRole('button', { name: 'Done' }).click();
      },
    },
    {
      does: 'Sees under **Merge** that the work of `iris` conflicts.',
      act: async (page) => {
        await page.getByRole('link', { name: 'Merge' }).click();
        await page.locator('td.conflict', { hasText: 'stats.js' }).waitFor();
      },
    },
  ];
}
