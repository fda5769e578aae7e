import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { parseConfig } from '../../../src/config/parse-config.ts';
import { FleetError } from '../../../src/domain/values/errors.ts';

export const PROJECT = 'version: 1\nprojects:\n  Setup:\n    repository: ./setup\n';

/** Parses configurations as files of a directory of their own, which is removed after the tests. */
export function configPlace() {
  const directory = mkdtempSync(join(tmpdir(), 'fleet config ü-'));
  const path = join(directory, 'fleet.yaml');
  afterAll(() => rmSync(directory, { recursive: true }));
  const parse = (text: string, env: NodeJS.ProcessEnv = {}) => parseConfig({ text, path, env });
  const problem = (text: string, env: NodeJS.ProcessEnv = {}): FleetError => {
    try {
      parse(text, env);
    } catch (error) {
      if (error instanceof FleetError) return error;
      throw error;
    }
    throw new Error('the configuration was accepted');
  };
  return { directory, path, parse, problem };
}
