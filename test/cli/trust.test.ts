import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import { agentOf, agentsOf, askAs, failure, waitIdle, type Ask } from '../support/fleet-under-test.ts';
import { makeRepository } from '../support/local-fleet.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
let opened: OpenedFleet;
let ask: Ask;
let config: string;

beforeAll(async () => {
  // Short enough for sockets.
  place = makePlace((userHome) => ({ FLEET_HOME: join(userHome, 'f') }));
  config = join(place.repository, 'fleet.yaml');
  opened = openFleet({ env: place.env, cwd: place.repository });
  ask = askAs(opened.fleet);
  expect(await place.fleet('init', '--yes')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const create = (name: string, by: Ask = ask): Promise<unknown> =>
  by('create_agent', { project: 'repository', role: 'shell', name, task: 'true' });

const REFUSED = {
  code: 'FORBIDDEN',
  message: expect.stringMatching(/type: fleet trust \S*fleet\.yaml$/),
  details: { reason: 'config_not_trusted' },
};

describe('a fleet.yaml that lies in the directory', () => {
  it('is trusted when fleet init wrote it [CFG-trust-init]', async () => {
    expect(readFileSync(config, 'utf8')).toContain('version: 1');
    expect((await ask('list_agent_projects'))['projects']).toMatchObject([
      { name: 'repository', backend: 'local' },
    ]);
    await create('first');
    await waitIdle(ask, 'first');
    await ask('delete_agent', { agent_name: 'first' });
  });

  it('starts nothing while it is not trusted, and all else goes on [CFG-trust]', async () => {
    await create('before');
    await waitIdle(ask, 'before');
    appendFileSync(config, '\n# another\n');
    expect(await failure(create('second'))).toMatchObject(REFUSED);
    expect(await failure(ask('restart_agent', { agent_name: 'before' }))).toMatchObject(REFUSED);
    const { code, stderr } = await place.fleet('create', 'repository', 'true');
    expect(code).toBe(5);
    expect(stderr).toContain(`fleet trust ${config}`);
    expect(await ask('list_agent_projects')).toMatchObject({ total_count: 1 });
    expect(await ask('list_agent_roles', { project: 'repository' })).toMatchObject({ project: 'repository' });
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['before']);
    expect(await agentOf(ask, 'before')).toMatchObject({ status: 'idle' });
    expect(await ask('show_agent_log', { agent_name: 'before' })).toMatchObject({ agent_name: 'before' });
    expect(await ask('show_agent_task_history', { agent_name: 'before' })).toMatchObject({ total_count: 1 });
    await ask('stop_agent', { agent_name: 'before' });
    await ask('delete_agent', { agent_name: 'before' });
    expect(await agentsOf(ask)).toEqual([]);
  });

  it('is trusted by its hash, and not any more when it is changed [CFG-trust-hash]', async () => {
    const trusted = `${readFileSync(config, 'utf8')}# read\n`;
    writeFileSync(config, trusted);
    const { code, stdout } = await place.fleet('trust');
    expect(code).toBe(0);
    expect(stdout).toContain(config);
    await create('third');
    writeFileSync(config, trusted.replace('version: 1', 'version:  1'));
    expect(await failure(create('fourth'))).toMatchObject(REFUSED);
    writeFileSync(config, trusted);
    await create('fifth');
    writeFileSync(config, `${trusted}# changed again\n`);
    expect(await failure(create('sixth'))).toMatchObject(REFUSED);
    const elsewhere = makeRepository(join(place.directory, 'elsewhere', 'repository'));
    writeFileSync(join(elsewhere, 'fleet.yaml'), trusted);
    await using other = openFleet({ env: place.env, cwd: elsewhere });
    expect(await failure(create('seventh', askAs(other.fleet)))).toMatchObject(REFUSED);
    await waitIdle(ask);
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['fifth', 'third']);
  });
});
