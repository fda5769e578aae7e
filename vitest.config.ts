import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // The processes that tests start share their compiled code: each has a home of its own, where it would be lost.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'fleet-test-compile-cache') },
    globalSetup: ['test/support/build-package.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 3,
  },
});
