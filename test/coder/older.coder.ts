import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import {
  LAB,
  purgeRealCoder,
  pushTestTemplates,
  startRealCoder,
  type RealCoder,
} from '../support/coder/real-coder.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';

/** A server without restarts in one step. */
const OLDER = 'v2.30.0';

let coder: RealCoder;
let opened: OpenedFleet;
const directory = mkdtempSync(join(tmpdir(), 'fleet-older-coder-'));
const ask = (operation: string, input?: Answer) => askAs(opened.fleet)(operation, input);

beforeAll(async () => {
  coder = await startRealCoder(join(directory, 'server'), { ...LAB, CODER_VERSION: OLDER });
  await pushTestTemplates(coder);
  writeFileSync(join(directory, 'fleet.yaml'), 'version: 1\nbackend: coder\n');
  const env = {
    ...process.env,
    FLEET_HOME: join(directory, 'home'),
    FLEET_CONFIG: join(directory, 'fleet.yaml'),
    CODER_URL: coder.url,
    CODER_SESSION_TOKEN: coder.token,
  };
  opened = openFleet({ env, cwd: directory });
}, 1_800_000);

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await purgeRealCoder(join(directory, 'server'));
  rmSync(directory, { recursive: true, force: true });
});

it(`lives a whole life on Coder ${OLDER}`, async () => {
  expect(coder.version).toContain(OLDER);
  await idleAgent(ask, 'elder', { task: 'one' });
  await ask('start_agent_task', { agent_name: 'elder', task_description: 'two' });
  await waitIdle(ask, 'elder');
  await ask('restart_agent', { agent_name: 'elder' });
  await waitIdle(ask, 'elder');
  expect(await agentOf(ask, 'elder')).toMatchObject({ status: 'idle' });
  expect((await history(ask, 'elder')).map(({ message }) => message)).toEqual(['two', 'one']);
  expect(await ask('stop_agent', { agent_name: 'elder' })).toMatchObject({ status: 'stopped' });
  await ask('delete_agent', { agent_name: 'elder' });
  expect(await agentsOf(ask)).toEqual([]);
});
