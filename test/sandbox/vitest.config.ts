import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tools of developers, run by sandboxed agents: `npm run test:sandbox`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/sandbox/**/*.sandbox.ts'],
    globalSetup: ['test/sandbox/set-up.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Builds are busy: more at once only wait for each other.
    maxWorkers: 2,
  },
});
