import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import { agentOf, agentsOf, askAs, failure, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { makeRepository } from '../support/fleets/local-fleet.ts';
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
  // A file that a word of the first configuration names.
  writeFileSync(join(place.repository, 'sh'), '#!/bin/sh\n');
  execFileSync('git', ['add', 'sh'], { cwd: place.repository });
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
  message: expect.stringMatching(/run: fleet trust \S*fleet\.yaml$/),
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

  it('is trusted together with the files of the repository that it names [CFG-trust-files]', async () => {
    const write = (name: string, text: string): string => {
      const file = join(place.repository, name);
      writeFileSync(file, text);
      return file;
    };
    const files = [
      write('fleet module.mjs', 'export const tools = [];\n'),
      write('prompt.md', 'Be kind.\n'),
      write('run.sh', '#!/bin/sh\n'),
      write('server.mjs', '// speaks MCP\n'),
      join(place.repository, 'sh'),
      write('x.mjs', '\n'),
    ];
    const data = write('data.db', 'one');
    execFileSync('git', ['add', 'run.sh', 'server.mjs', 'x.mjs'], { cwd: place.repository });
    const own = parse(readFileSync(config, 'utf8')) as Record<string, object>;
    own['roles'] = {
      ...own['roles'],
      kind: { agent: 'claude', system_prompt_file: 'prompt.md' },
      runs: {
        agent: 'command',
        command: ['sh', '-c', './run.sh --fast'],
        env: { NODE_OPTIONS: '--import ./x.mjs' },
      },
    };
    own['tool_modules'] = { mine: './fleet module.mjs' };
    const args = ['-c', 'sleep 0; exec node server.mjs --db=data.db'];
    own['mcpServers'] = { lab: { command: 'sh', args, autoStart: false } };
    writeFileSync(config, stringify(own));
    const trust = await place.fleet('trust', '--json');
    expect(trust.code, trust.stderr).toBe(0);
    expect(JSON.parse(trust.stdout)).toMatchObject({ files });
    const { stdout } = await place.fleet('trust');
    for (const file of files) expect(stdout).toContain(`with the file ${file}`);
    await create('named');
    await waitIdle(ask, 'named');
    // What git does not track is data.
    writeFileSync(data, 'two');
    await ask('restart_agent', { agent_name: 'named' });
    for (const file of files) {
      const before = readFileSync(file, 'utf8');
      appendFileSync(file, '\n');
      expect(await failure(create('refused')), file).toMatchObject(REFUSED);
      writeFileSync(file, before);
    }
    const module = files[0] ?? '';
    appendFileSync(module, 'console.error("loaded");\n');
    const tools = await place.fleet('tools');
    expect(tools.stderr).not.toContain('loaded');
    expect(tools.stderr + tools.stdout).toContain('is not trusted');
    await place.fleet('trust');
    expect((await place.fleet('tools')).stderr).toContain('loaded');
  });
});
