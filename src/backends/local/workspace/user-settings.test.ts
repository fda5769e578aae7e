import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launch } from '../../../domain/launch.ts';
import { agentPaths } from '../records/paths.ts';
import { userSettings } from './user-settings.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-settings-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const linksOf = (agent: string) => {
  const launch = { agent, env: { HOME: directory } } as unknown as Launch;
  return userSettings('/caches', launch, agentPaths('/home', 'id'));
};

it('has the settings of other programs for a coding agent whose own are among them, and not those of its user', () => {
  expect(linksOf('opencode')).toEqual([]);
  for (const name of ['git', 'go', 'opencode'])
    mkdirSync(join(directory, '.config', name), { recursive: true });
  expect(linksOf('opencode')).toEqual(
    ['git', 'go'].map((name) => ({
      at: join('/home/agents/id/state/config', name),
      to: join(directory, '.config', name),
    })),
  );
  expect(linksOf('claude')).toEqual([]);
});
