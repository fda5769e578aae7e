import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { missingParts } from './missing-parts.ts';

const missing = missingParts();
if (missing.length > 0)
  console.error(
    `Not tested: the tests with containers on a real Coder server are skipped. This machine has no ${missing.join(', ')}.`,
  );

/** The tests with containers on a real Coder server: `npm run test:docker`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: missing.length === 0 ? ['test/docker/**/*.docker.ts'] : [],
    passWithNoTests: true,
    globalSetup:
      missing.length === 0 ? ['test/support/installs/build-package.ts', 'test/docker/set-up.ts'] : [],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // A workspace is many processes of this machine: more at once only wait for each other.
    maxWorkers: 1,
  },
});
