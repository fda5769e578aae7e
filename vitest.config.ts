import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Folders and files of `npm run test:slow`: each is thorough about one subject, and costs much. */
const SLOW = ['test/{contained,faults,growth,storage,versions}/**/*.test.ts', '{src,test}/**/*.slow.test.ts'];

export default defineConfig({
  test: {
    projects: [
      // A process for each file costs more than most tests: these share the processes of the run.
      {
        extends: true,
        test: { name: 'unit', include: ['{src,web}/**/*.test.ts'], exclude: SLOW, isolate: false },
      },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: SLOW, isolate: false },
      },
      { extends: true, test: { name: 'slow', include: SLOW } },
    ],
    // The processes that tests start share their compiled code: each has a home of its own, where it would be lost.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'fleet-test-compile-cache') },
    globalSetup: ['test/support/print-cost.ts', 'test/support/installs/build-package.ts'],
    testTimeout: 60_000,
    // A hook that fails fails all of its file, and is not tried again.
    hookTimeout: 180_000,
    // One second, which vitest waits for unless told, is too short on a busy machine.
    expect: { poll: { timeout: 50_000 } },
    pool: 'forks',
    maxWorkers: 3,
  },
});
