import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The conformance suite, public MCP servers and Claude Code, connected to a fleet: `npm run test:tools`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/tools/**/*.tools.ts'],
    globalSetup: ['test/tools/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
