import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf } from '../../src/agents/adapter-of.ts';
import { codingAgent } from '../../src/agents/catalogue.ts';
import { FLEET, runFleet, type Finished } from '../support/fleet-process.ts';
import { npmRegistry, type NpmRegistry, type TestPackage } from '../support/npm-registry.ts';
import { makePlace, type Place } from './place.ts';

const PINNED = codingAgent('claude')?.version ?? '';
const ADAPTER = '@agentclientprotocol/claude-agent-acp';
const BUILD = '@anthropic-ai/claude-agent-sdk-test';

const adapter = (version: string): TestPackage => ({
  name: ADAPTER,
  version,
  files: { 'dist/index.js': `console.log(${JSON.stringify(version)}, process.argv.slice(2).join(' '))` },
  dependencies: { [BUILD]: '1.0.0' },
});

let registry: NpmRegistry;
beforeAll(async () => {
  registry = await npmRegistry([
    adapter('0.98.0'),
    adapter(PINNED),
    { name: BUILD, version: '1.0.0', files: { claude: '' } },
    { name: '@agentclientprotocol/codex-acp', version: '2.6.0', files: { 'dist/index.js': '' } },
  ]);
});
afterAll(() => registry[Symbol.asyncDispose]());

const place = (variables: NodeJS.ProcessEnv = {}): Place =>
  makePlace(() => ({ npm_config_registry: registry.url, ...variables }));

const homeOf = ({ userHome }: Place): string => join(userHome, '.local', 'share', 'fleet');

interface Row {
  readonly name: string;
  readonly usable: boolean;
  readonly problem: string | null;
}

async function rowOf(user: Place, name: string): Promise<Row | undefined> {
  const { stdout } = await user.fleet('agents', '--json');
  const { agents } = JSON.parse(stdout) as { agents: Row[] };
  return agents.find((each) => each.name === name);
}

const install = (user: Place, ...args: string[]): Promise<Finished> =>
  user.fleet('agents', 'install', ...args);

/** What lies in the directory of an adapter, but for the lock. */
const leftIn = (user: Place): string[] =>
  readdirSync(join(homeOf(user), 'adapters', 'claude')).filter((name) => !name.startsWith('install.db'));

describe('fleet agents', () => {
  it('installs the pinned adapter into the home, says what is still missing, and removes it [CLI-agents-install]', async () => {
    await using user = place();
    expect(await rowOf(user, 'claude')).toMatchObject({
      pinned_version: PINNED,
      installed_version: null,
      usable: false,
      problem: expect.stringContaining('fleet agents install claude'),
    });
    const { code, stdout, stderr } = await install(user, 'claude');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Claude Code ${PINNED} is installed.\n` });
    expect(stderr).toContain(`Installing ${ADAPTER}@${PINNED}`);
    expect(stderr).toContain('fleet agents login claude');
    const found = adapterOf('claude', homeOf(user));
    expect(found).toEqual({
      command: [
        process.execPath,
        join(homeOf(user), 'adapters', 'claude', PINNED, 'node_modules', ADAPTER, 'dist/index.js'),
      ],
      version: PINNED,
    });
    expect(await rowOf(user, 'claude')).toMatchObject({
      installed_version: PINNED,
      usable: false,
      reason: 'agent_not_logged_in',
    });
    expect(leftIn(user).toSorted()).toEqual([PINNED, 'current']);
    expect(readdirSync(user.userHome)).toEqual(['.local']);
    expect(await user.fleet('agents', 'remove', 'claude')).toMatchObject({
      code: 0,
      stdout: 'Claude Code was removed.\n',
    });
    expect(readdirSync(join(homeOf(user), 'adapters'))).toEqual([]);
    expect(adapterOf('claude', homeOf(user))).toBeUndefined();
  });

  it('sees a login in a variable and in a file, and logs in by the program of the agent', async () => {
    await using user = place();
    await install(user, 'claude');
    expect(await user.fleet('agents', 'login', 'claude')).toMatchObject({
      code: 0,
      stdout: `${PINNED} --cli auth login\n`,
    });
    const { stdout } = await runFleet(['agents', '--json'], {
      env: { ...user.env, ANTHROPIC_API_KEY: 'x' },
      cwd: user.repository,
    });
    expect((JSON.parse(stdout) as { agents: Row[] }).agents[0]).toMatchObject({
      usable: true,
      problem: null,
    });
    mkdirSync(join(user.userHome, '.claude'));
    writeFileSync(join(user.userHome, '.claude.json'), '{"machineID": "x"}');
    expect(await rowOf(user, 'claude')).toMatchObject({ usable: false });
    writeFileSync(join(user.userHome, '.claude', '.credentials.json'), '{}');
    expect(await rowOf(user, 'claude')).toMatchObject({ usable: true });
  });

  it('installs another version when told to, and uses the one that was installed last', async () => {
    await using user = place();
    await install(user, 'claude', '--version', '0.98.0');
    expect(adapterOf('claude', homeOf(user))?.version).toBe('0.98.0');
    await install(user, 'claude');
    expect(adapterOf('claude', homeOf(user))?.version).toBe(PINNED);
    expect(adapterOf('claude', homeOf(user), '0.98.0')?.version).toBe('0.98.0');
    expect((await install(user, 'claude', '--version', '0.98.0')).stdout).toContain('already');
    expect(adapterOf('claude', homeOf(user))?.version).toBe('0.98.0');
  });

  it('leaves nothing half installed when it is killed, and the next install is whole', async () => {
    await using user = place();
    const release = registry.hold();
    const before = registry.fetched.length;
    const child = spawn(process.execPath, [FLEET, 'agents', 'install', 'claude'], {
      env: user.env,
      cwd: user.repository,
      stdio: 'ignore',
    });
    await expect.poll(() => registry.fetched.length, { timeout: 30_000 }).toBeGreaterThan(before);
    child.kill('SIGKILL');
    await once(child, 'close');
    release();
    expect(adapterOf('claude', homeOf(user))).toBeUndefined();
    expect(leftIn(user).filter((name) => !name.startsWith('.part-'))).toEqual([]);
    expect((await install(user, 'claude')).code).toBe(0);
    expect(adapterOf('claude', homeOf(user))?.version).toBe(PINNED);
    expect(leftIn(user).toSorted()).toEqual([PINNED, 'current']);
  });

  it('of two installs at the same time lets one wait for the other, and fetches once', async () => {
    await using user = place();
    const release = registry.hold();
    const before = registry.fetched.length;
    const first = install(user, 'claude');
    await expect.poll(() => registry.fetched.length, { timeout: 30_000 }).toBeGreaterThan(before);
    const second = spawn(process.execPath, [FLEET, 'agents', 'install', 'claude'], {
      env: user.env,
      cwd: user.repository,
    });
    let told = '';
    second.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await expect.poll(() => told, { timeout: 30_000 }).toContain('Another process installs claude');
    const refused = await user.fleet('agents', 'remove', 'claude', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { details: { reason: 'install_running' } } });
    release();
    expect((await first).stdout).toContain('is installed');
    expect(await once(second, 'close')).toEqual([0, null]);
    expect(registry.fetched.slice(before).filter((file) => file.includes('claude-agent-acp'))).toHaveLength(
      1,
    );
  });

  it.each([
    [
      'cannot be reached',
      ['claude'],
      { npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
      'registry_unreachable',
    ],
    ['brings no build for this machine', ['codex'], {}, 'no_build'],
  ])('says what to do when the registry %s, and leaves nothing', async (_, args, variables, reason) => {
    await using user = place(variables);
    const { code, stdout } = await install(user, ...args, '--json');
    const { error } = JSON.parse(stdout) as { error: { message: string } };
    expect({ code, error }).toMatchObject({
      code: 7,
      error: { code: 'SERVICE_UNAVAILABLE', details: { reason } },
    });
    expect(error.message).not.toContain('undefined');
    expect(adapterOf(args[0] ?? '', homeOf(user))).toBeUndefined();
    expect(
      readdirSync(join(homeOf(user), 'adapters', args[0] ?? '')).filter(
        (name) => !name.startsWith('install'),
      ),
    ).toEqual([]);
  });

  it('refuses names and versions that there are not', async () => {
    await using user = place();
    expect(await install(user, 'cluade')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Did you mean "claude"'),
    });
    expect(await install(user, 'claude', '--version', 'latest')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"latest"'),
    });
    expect(await install(user, 'claude', '--version', '9.9.9')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('9.9.9'),
    });
    expect(existsSync(join(homeOf(user), 'adapters', 'claude', '9.9.9'))).toBe(false);
  });

  it('is for the owner alone', async () => {
    await using user = place({ FLEET_SELF_SOCKET: '/nowhere' });
    for (const words of [
      ['agents'],
      ['agents', 'install', 'claude'],
      ['agents', 'remove', 'claude'],
      ['agents', 'login', 'claude'],
    ]) {
      expect((await user.fleet(...words)).code).toBe(5);
    }
  });
});
