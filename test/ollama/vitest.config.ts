import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The tests with a real Ollama: `npm run test:ollama`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..', '..'),
    include: ['test/ollama/**/*.ollama.ts'],
    globalSetup: ['test/ollama/set-up.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Each starts a server of its own, which takes all of a small machine.
    maxWorkers: 1,
  },
});
