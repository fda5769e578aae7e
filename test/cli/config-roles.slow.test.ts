import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { signalProcess } from '../../src/platform/processes/process-identity.ts';
import { runFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  failure,
  history,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { rowOf } from '../seeds/on-this-machine.ts';

/** Writes its whole environment to the file that its task names. */
const TELL = `const { readFileSync, writeFileSync } = require('node:fs');
writeFileSync(readFileSync(0, 'utf8'), JSON.stringify(process.env));`;

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['teller'] = {
      agent: 'command',
      command: [process.execPath, '-e', TELL],
      env: { ADDED: 'by the role', LANG: 'C.UTF-8' },
      env_from: ['TAKEN', 'NOT_SET'],
    };
    config.projects['Quick'] = { ...config.projects['Setup'], stuck_after: '200ms' };
    config.projects['Slow'] = { ...config.projects['Setup'], stuck_after: '15m' };
  }),
);

const file = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);

/** The environment that the agent of a creator with these variables gives to its program. */
async function environmentOf(
  fleet: LocalFleet,
  name: string,
  variables: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const env: NodeJS.ProcessEnv = {
    FLEET_HOME: fleet.home,
    FLEET_CONFIG: fleet.configFile,
    PATH: process.env['PATH'],
    ...variables,
  };
  const args = ['create', 'Setup', '--role', 'teller', '--name', name, '--wait', file(fleet, `${name}.json`)];
  expect(await runFleet(args, { env })).toMatchObject({ code: 0 });
  return JSON.parse(readFileSync(file(fleet, `${name}.json`), 'utf8')) as Record<string, string>;
}

describe('the environment of an agent', () => {
  const THEIRS = {
    HOME: '/somewhere/home',
    LANG: 'de_DE.UTF-8',
    LC_ALL: 'de_DE.UTF-8',
    LC_TIME: 'en_GB.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    HTTP_PROXY: 'http://proxy.example:3128',
    https_proxy: 'http://proxy.example:3129',
    NO_PROXY: 'localhost',
    SSL_CERT_FILE: '/somewhere/certificates.pem',
    NODE_EXTRA_CA_CERTS: '/somewhere/extra.pem',
    GIT_AUTHOR_NAME: 'Somebody',
    GIT_COMMITTER_EMAIL: 'somebody@example.com',
  };
  const NOT_THEIRS = words(`
    AWS_SECRET_ACCESS_KEY GITHUB_TOKEN ANTHROPIC_API_KEY FLEET_TOKEN CODER_SESSION_TOKEN SSH_AUTH_SOCK
    USER LOGNAME SHELL TMPDIR TZ EDITOR XDG_CONFIG_HOME NOT_TAKEN
  `);

  it('has the listed variables of its creator and nothing else [ENV-allow-list]', async ({ fleet }) => {
    const others = Object.fromEntries(NOT_THEIRS.map((name) => [name, '/tmp']));
    const env = await environmentOf(fleet, 'listed', { ...THEIRS, ...others });
    expect(env).toMatchObject({ ...THEIRS, LANG: 'C.UTF-8' });
    expect(`${env['PATH']}:`).toContain(`:${process.env['PATH']}:`);
    const own =
      /^(FLEET_(AGENT|ROLE|PROJECT|SPEC|TASK|WORKSPACE_ID|SELF_SOCKET|RUN_MARKER)|PWD|OLDPWD|SHLVL|_)$/;
    const known = new Set(['PATH', 'ADDED', ...Object.keys(THEIRS)]);
    const places = [join(fleet.home, 'caches'), '/run/fleet/caches', 'ssh -o ControlMaster=no'];
    const rest = Object.entries(env).filter(([name]) => !known.has(name) && !own.test(name));
    expect(rest.filter(([, value]) => !places.some((place) => value.includes(place)))).toEqual([]);
  });

  it('has what its role adds, and takes by name from its creator [CFG-role-env]', async ({ fleet }) => {
    const [one, two] = await Promise.all([
      environmentOf(fleet, 'one', { TAKEN: 'from one', NOT_TAKEN: 'x', LANG: 'de_DE.UTF-8' }),
      environmentOf(fleet, 'two', { TAKEN: 'from two' }),
    ]);
    expect(one).toMatchObject({ ADDED: 'by the role', LANG: 'C.UTF-8', TAKEN: 'from one' });
    expect(two).toMatchObject({ ADDED: 'by the role', TAKEN: 'from two' });
    expect(Object.keys(one)).not.toContain('NOT_TAKEN');
    expect(Object.keys(one)).not.toContain('NOT_SET');
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Puts a mistake into the configuration, and takes it back. */
async function withMistake(
  fleet: LocalFleet,
  ask: Ask,
  change: Parameters<LocalFleet['configure']>[0],
): Promise<string> {
  const before = readFileSync(fleet.configFile, 'utf8');
  fleet.configure(change);
  try {
    const error = await failure(ask('list_agent_projects'));
    expect(error.code).toBe('INVALID_INPUT');
    return error.message;
  } finally {
    const { parse } = await import('yaml');
    fleet.configure((config) => Object.assign(config, parse(before)));
  }
}

describe('the settings of a role and a project', () => {
  it('on_crash is interrupt unless given, and interrupt or resume [CFG-on-crash]', async ({ fleet, ask }) => {
    const wrong = await withMistake(fleet, ask, (config) => {
      config.roles['again'] = { agent: 'command', command: ['true'], on_crash: 'again' };
    });
    expect(wrong).toContain('on_crash');
    expect(wrong).toContain('interrupt');
    expect(wrong).toContain('resume');
    fleet.configure((config) => {
      config.roles['resuming'] = { agent: 'command', command: ['true'], on_crash: 'resume' };
      config.roles['interrupting'] = { agent: 'command', command: ['true'], on_crash: 'interrupt' };
    });
    const { roles } = await ask('list_agent_roles', { project: 'Setup' });
    const names = (roles as Answer[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['resuming', 'interrupting', 'scripted']));
    const began = file(fleet, 'began');
    const task = script({ append: began }, { hold: file(fleet, 'never') });
    await ask('create_agent', { project: 'Setup', name: 'crashing', task });
    const lines = async (): Promise<string> => {
      try {
        return readFileSync(began, 'utf8');
      } catch {
        return '';
      }
    };
    await until(lines, (text) => text !== '');
    const { runner } = rowOf(fleet, 'crashing');
    if (runner !== null) signalProcess(runner, 'SIGKILL');
    await until(
      () => history(ask, 'crashing'),
      ([row]) => row?.['state'] !== 'running',
    );
    expect(await history(ask, 'crashing')).toMatchObject([{ state: 'interrupted' }]);
    expect(await lines()).toBe('crashing\n');
  });

  it('stuck_after is a duration, and a malformed one is an error [CFG-stuck-after]', async ({
    fleet,
    ask,
  }) => {
    for (const text of ['15 minutes', '15', 'm', '-1m', '0s', '']) {
      const message = await withMistake(fleet, ask, (config) => {
        config.projects['Quick'] = { ...config.projects['Quick'], stuck_after: text };
      });
      expect(message).toContain('stuck_after');
      expect(message).toContain('"15m"');
    }
    const task = script({ hold: file(fleet, 'stuck-go') });
    await Promise.all(
      ['Quick', 'Slow'].map((project) => ask('create_agent', { project, name: `in-${project}`, task })),
    );
    const stuck = await until(
      () => agentOf(ask, 'in-Quick'),
      (agent) => agent.stuck,
    );
    expect(stuck).toMatchObject({ status: 'busy', needs_attention: true });
    await until(
      () => agentOf(ask, 'in-Slow'),
      ({ status }) => status === 'busy',
    );
    expect(await agentOf(ask, 'in-Slow')).toMatchObject({ stuck: false, needs_attention: false });
    await ask('cancel_agent_task', { agent_name: 'in-Quick' });
    await ask('cancel_agent_task', { agent_name: 'in-Slow' });
    await waitIdle(ask, 'in-Quick', 'in-Slow');
  });

  it('hold for the next agent when they change under a running server [CFG-takes-hold]', async ({
    fleet,
    ask,
  }) => {
    await using served = await serveFleet(fleet.env);
    const added = async (name: string): Promise<unknown> => {
      const out = file(fleet, `${name}.json`);
      const input = { project: 'Setup', role: 'teller', name, task: out };
      expect(await served.request('POST', '/api/v1/agents', input)).toMatchObject({ status: 201 });
      await waitIdle(ask, name);
      return (JSON.parse(readFileSync(out, 'utf8')) as Answer)['ADDED'];
    };
    expect(await added('before')).toBe('by the role');
    fleet.configure((config) => {
      config.roles['teller'] = { ...config.roles['teller'], env: { ADDED: 'anew' } };
      config.projects['Appeared'] = { ...config.projects['Setup'] };
    });
    expect(await added('after')).toBe('anew');
    const { body } = await served.request('GET', '/api/v1/projects');
    expect((body['projects'] as Answer[]).map(({ name }) => name)).toContain('Appeared');
    const again = { agent_name: 'before', task_description: file(fleet, 'again.json') };
    await ask('start_agent_task', again);
    await waitIdle(ask, 'before');
    expect(JSON.parse(readFileSync(file(fleet, 'again.json'), 'utf8'))).toMatchObject({
      ADDED: 'by the role',
    });
  });
});
