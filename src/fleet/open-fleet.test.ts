import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFleet } from './open-fleet.ts';

let directory: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-open-')));
  mkdirSync(join(directory, 'repository'));
  writeFileSync(join(directory, 'plain.yaml'), plain());
  writeFileSync(join(directory, 'coder.yaml'), CODER);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('opens the fleet of a home with the projects of its configuration', async () => {
  await using opened = open('plain.yaml');
  expect(opened.fleet.place).toBe(join(directory, 'home'));
  expect(opened.home).toBe(join(directory, 'home'));
  expect((await opened.fleet.listProjects()).map(({ name }) => name)).toEqual(['Site']);
  expect(await opened.fleet.listAgents({})).toEqual({ agents: [], total_count: 0 });
  expect(await opened.backendsOf('coder')).toEqual([]);
  expect((await opened.config()).current().config.projects).toHaveProperty('Site');
  await opened.loadAll();
});

it('has a backend for each Coder server, as the configuration is now', async () => {
  await using opened = open('coder.yaml', { WORK_TOKEN: 'a token' });
  const backends = await opened.backendsOf('coder');
  expect(backends.map(({ name }) => name)).toEqual(['work']);
  expect(await opened.backendsOf('coder')).toBe(backends);
  writeFileSync(
    join(directory, 'coder.yaml'),
    CODER.replaceAll('work:', 'other:').replace('backend: work', 'backend: other'),
  );
  expect((await opened.backendsOf('coder')).map(({ name }) => name)).toEqual(['other']);
  writeFileSync(join(directory, 'coder.yaml'), plain());
  expect(await opened.backendsOf('coder')).toEqual([]);
});

it('trusts the configuration that it was pinned to', async () => {
  await using named = open('plain.yaml');
  const { hash } = (await named.config()).current();
  await using pinned = open('plain.yaml', { FLEET_CONFIG_HASH: hash });
  expect((await pinned.config()).current().trusted).toBe(true);
  await using other = open('plain.yaml', { FLEET_CONFIG_HASH: 'another' });
  expect((await other.config()).current().trusted).toBe(false);
});

function open(config: string, env: NodeJS.ProcessEnv = {}) {
  return openFleet({
    env: { FLEET_HOME: join(directory, 'home'), ...env },
    cwd: directory,
    config: join(directory, config),
  });
}

const CODER = `version: 1
backend: work
backends:
  work: { type: coder, url: "https://coder.test", token_env: WORK_TOKEN }
`;

function plain(): string {
  return `version: 1
projects:
  Site:
    repository: ${JSON.stringify(join(directory, 'repository'))}
`;
}
