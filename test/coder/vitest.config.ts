import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests on a real Coder server: `npm run test:coder`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/coder/**/*.coder.ts'],
    globalSetup: ['test/coder/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Workspaces are processes of this machine: more at once only wait for each other.
    maxWorkers: 1,
  },
});
