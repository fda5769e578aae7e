import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests that mutation testing runs: `npm run test:mutation`. Unit tests only. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['src/{domain,fleet}/**/*.test.ts'],
    setupFiles: ['test/mutation/fewer-runs.ts'],
    isolate: false,
    testTimeout: 20_000,
  },
});
