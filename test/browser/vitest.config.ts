import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The page in a real Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/browser/**/*.browser.ts'],
    globalSetup: ['test/support/installs/build-package.ts', 'test/browser/set-up.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A loaded machine takes longer than the default of a second.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
