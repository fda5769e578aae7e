import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { missingPrograms } from './missing-programs.ts';

const missing = missingPrograms();
if (missing.length > 0)
  console.error(
    `Not tested: the tests on a real Coder server are skipped. This machine has no ${missing.join(', ')}.`,
  );

/** The tests on a real Coder server: `npm run test:coder`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: missing.length === 0 ? ['test/coder/**/*.coder.ts'] : [],
    passWithNoTests: true,
    globalSetup: ['test/coder/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Workspaces are processes of this machine: more at once only wait for each other.
    maxWorkers: 1,
  },
});
