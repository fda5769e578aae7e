import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/** A browser of this machine, or of the user's cache; undefined when none starts. */
export async function launchFound(): Promise<Browser | undefined> {
  const found = await findBrowser();
  if (found === undefined) return undefined;
  try {
    return await chromium.launch({ executablePath: found.executablePath, args: [...found.args] });
  } catch {
    return undefined;
  }
}
