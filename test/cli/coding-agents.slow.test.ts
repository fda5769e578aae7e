import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterOf } from '../../src/agents/adapter-of.ts';
import { containmentLevel } from '../../src/platform/processes/containment.ts';
import { codingAgent } from '../../src/agents/catalogue.ts';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { FLEET, runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { npmRegistry, type NpmRegistry, type TestPackage } from '../support/installs/npm-registry.ts';
import { makePlace, type Place } from './place.ts';

const PINNED = codingAgent('claude')?.version ?? '';
const ADAPTER = '@agentclientprotocol/claude-agent-acp';
const TOKEN = 'a-token-for-tests-0123456789';
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

  it('without namespaces sees a login in a variable and in a file', async () => {
    await using user = place({ FLEET_CONTAINMENT: 'marker' });
    await install(user, 'claude');
    const { stdout } = await runFleet(['agents', '--json'], {
      env: { ...user.env, ANTHROPIC_API_KEY: 'x' },
      cwd: user.repository,
    });
    expect((JSON.parse(stdout) as { agents: Row[] }).agents[0]).toMatchObject({
      usable: true,
      problem: null,
      login: { source: 'variable', name: 'ANTHROPIC_API_KEY' },
    });
    mkdirSync(join(user.userHome, '.claude'));
    writeFileSync(join(user.userHome, '.claude.json'), '{"machineID": "x"}');
    expect(await rowOf(user, 'claude')).toMatchObject({ usable: false });
    writeFileSync(join(user.userHome, '.claude', '.credentials.json'), '{}');
    expect(await rowOf(user, 'claude')).toMatchObject({
      usable: true,
      login: { source: 'file', name: join(user.userHome, '.claude', '.credentials.json') },
    });
  });

  it.skipIf(containmentLevel().level === 'marker')(
    'for sandboxed agents counts no file of the user as a login, and says how to log in',
    async () => {
      await using user = place();
      await install(user, 'claude');
      mkdirSync(join(user.userHome, '.claude'));
      writeFileSync(join(user.userHome, '.claude', '.credentials.json'), '{}');
      expect(await rowOf(user, 'claude')).toMatchObject({
        usable: false,
        login: null,
        problem: expect.stringContaining('Log in: fleet agents login claude (or set ANTHROPIC_API_KEY)'),
      });
      expect(await user.fleet('agents', 'login', 'codex')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Set CODEX_API_KEY or OPENAI_API_KEY'),
      });
      const { stdout } = await runFleet(['agents', '--json'], {
        env: { ...user.env, CLAUDE_CODE_OAUTH_TOKEN: 'x' },
        cwd: user.repository,
      });
      expect((JSON.parse(stdout) as { agents: Row[] }).agents[0]).toMatchObject({ usable: true });
    },
  );

  it("keeps a login of the fleet's own, says where the login comes from, shows it nowhere, and removes it", async () => {
    await using user = place();
    await install(user, 'claude');
    const login = (stdin: string, ...words: string[]): Promise<Finished> =>
      runFleet(['agents', 'login', 'claude', '--with-token', ...words], {
        env: user.env,
        cwd: user.repository,
        stdin,
      });
    expect(await login(`${TOKEN}\n`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('CLAUDE_CODE_OAUTH_TOKEN'),
    });
    expect(JSON.parse((await login(TOKEN, '--json')).stdout)).toEqual({
      name: 'claude',
      variable: 'CLAUDE_CODE_OAUTH_TOKEN',
      logged_in: true,
    });
    const file = join(homeOf(user), 'logins', 'claude');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${TOKEN}\n`);
    expect(await rowOf(user, 'claude')).toMatchObject({
      usable: true,
      login: { source: 'fleet', name: 'CLAUDE_CODE_OAUTH_TOKEN' },
    });
    await user.fleet('init');
    const shown = await Promise.all([
      user.fleet('agents'),
      user.fleet('doctor'),
      user.fleet('audit', '--json'),
      login(`${TOKEN} and more`),
    ]);
    expect(shown[0]?.stdout).toContain("the fleet's own");
    expect(shown[1]?.stdout).toContain("login: the fleet's own");
    expect(shown[2]?.stdout).toContain('login_coding_agent');
    expect(shown[3]).toMatchObject({ code: 2, stderr: expect.stringContaining('white space') });
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(await login('\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('empty') });
    expect(JSON.parse((await user.fleet('agents', 'logout', 'claude', '--json')).stdout)).toEqual({
      name: 'claude',
      removed: true,
    });
    expect(existsSync(file)).toBe(false);
    expect(await rowOf(user, 'claude')).toMatchObject({ usable: false, login: null });
    expect(await user.fleet('agents', 'logout', 'claude')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('had no login'),
    });
  });

  it('has the program of the agent make a token in a terminal, and asks for it there', async () => {
    await using user = place();
    await install(user, 'claude');
    expect(await user.fleet('agents', 'login', 'claude')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('fleet agents login claude --with-token'),
    });
    if (findProgram('script', process.env['PATH']) === undefined) return;
    const command = [process.execPath, FLEET, 'agents', 'login', 'claude']
      .map((word) => `'${word}'`)
      .join(' ');
    const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: user.env,
      cwd: user.repository,
    });
    let told = '';
    terminal.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await expect.poll(() => told, { timeout: 30_000 }).toContain('Paste the token');
    terminal.stdin.write(`${TOKEN}\r`);
    expect(await once(terminal, 'close')).toEqual([0, null]);
    expect(told).toContain(`${PINNED} --cli setup-token`);
    expect(told).toContain('Logged in.');
    expect(told).not.toContain(TOKEN);
    expect(readFileSync(join(homeOf(user), 'logins', 'claude'), 'utf8')).toBe(`${TOKEN}\n`);
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
      detached: true,
    });
    await expect.poll(() => registry.fetched.length, { timeout: 30_000 }).toBeGreaterThan(before);
    // With its npm, which would fetch in the middle of another test.
    process.kill(-(child.pid ?? 0), 'SIGKILL');
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
    const closed = once(second, 'close');
    let told = '';
    second.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    await expect.poll(() => told, { timeout: 30_000 }).toContain('Another process is installing claude');
    const refused = await user.fleet('agents', 'remove', 'claude', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { details: { reason: 'install_running' } } });
    release();
    expect((await first).stdout).toContain('is installed');
    expect(await closed).toEqual([0, null]);
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
      ['agents', 'logout', 'claude'],
    ]) {
      expect((await user.fleet(...words)).code).toBe(5);
    }
  });
});
