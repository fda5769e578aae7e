import type { TestProject } from 'vitest/node';
import { chromium } from 'playwright-core';
import { TESTED } from '../agents/agents-cache.ts';
import { installAgents } from '../agents/install-agents.ts';
import { findBrowser, type FoundBrowser } from './find-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browser: FoundBrowser | undefined;
  }
}

let found: FoundBrowser | undefined;

/** Before all tests with a browser. */
export async function setup(project: TestProject): Promise<void> {
  const browser = await findBrowser();
  found = browser !== undefined && (await starts(browser)) ? browser : undefined;
  project.provide('browser', found);
  if (found !== undefined)
    await installAgents(
      (line) => console.error(line),
      TESTED.filter(({ name }) => name === 'claude'),
    );
}

/** What was skipped is said at the end, where it is seen. */
export function teardown(): void {
  if (found === undefined)
    console.error('\nNot tested: no Chromium that starts was found (FLEET_TEST_BROWSER names one).');
}

async function starts({ executablePath, args }: FoundBrowser): Promise<boolean> {
  try {
    await (await chromium.launch({ executablePath, args: [...args] })).close();
    return true;
  } catch {
    return false;
  }
}
