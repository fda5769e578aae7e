import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests with a real forge: `npm run test:forge`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/forge/**/*.forge.ts'],
    globalSetup: ['test/forge/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
  },
});
