import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config.ts';
import { configuredForges } from './configured-forges.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-gh-'));
afterAll(() => rmSync(directory, { recursive: true }));
writeFileSync(join(directory, 'gh'), '#!/bin/sh\necho "$* of $LOGIN"\n');
chmodSync(join(directory, 'gh'), 0o755);
const WITH_GH = { PATH: `${directory}:/usr/bin:/bin`, LOGIN: 'me' };

function forges(text: string, env: NodeJS.ProcessEnv, trusted = true) {
  const path = join(directory, 'fleet.yaml');
  const { config } = parseConfig({ text: `version: 1\nforges:\n  ${text}\n`, path, env: {} });
  return configuredForges({ config, trusted }, env);
}

it('have the token of their variable, an empty one is none, and only github asks gh', async () => {
  const gitlab = 'gitlab.com: {type: gitlab, token_env: SOME_TOKEN}';
  expect(await forges(gitlab, { ...WITH_GH, SOME_TOKEN: 'secret' })).toEqual([
    { type: 'gitlab', url: 'https://gitlab.com', token: 'secret' },
  ]);
  expect(await forges(gitlab, { ...WITH_GH, SOME_TOKEN: '' })).toMatchObject([{ token: null }]);
  expect(await forges('git.example.com: {type: gitea}', WITH_GH)).toMatchObject([{ token: null }]);
  expect(await forges('github.com: {type: github, token_env: SOME_TOKEN}', WITH_GH)).toMatchObject([
    { token: null },
  ]);
});

it('ask gh for the host of a github forge, when no variable is named', async () => {
  expect(await forges('work: {type: github, url: "https://git.example.com/"}', WITH_GH)).toEqual([
    {
      type: 'github',
      url: 'https://git.example.com',
      token: 'auth token --hostname git.example.com of me',
    },
  ]);
  expect(await forges('other.example.com: {type: github}', { PATH: '/nowhere' })).toMatchObject([
    { token: null },
  ]);
});

it('are none in a configuration that nobody trusts', async () => {
  expect(await forges('github.com: {type: github}', WITH_GH, false)).toEqual([]);
});
