import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests with real coding agents: `npm run test:agents`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/agents/**/*.agents.ts'],
    globalSetup: ['test/agents/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // An agent is several processes, each busy: more at once only wait for each other.
    maxWorkers: 2,
  },
});
