import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTRACT_VERSION } from '../../src/platform/package.ts';
import { until } from '../support/fleets/fleet-under-test.ts';
import { installPackage, type InstalledPackage } from '../support/installs/install-package.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-package-')));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PACKED_BUDGET_BYTES = 1_500_000;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly mcpName: string;
  readonly description: string;
  readonly homepage: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly repository: { readonly url: string };
}

const manifest = JSON.parse(fileOf('package.json')) as Manifest;

/** Fleet on its own, with nothing of the machine's but a PATH that begins with this Node. */
const env = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  HOME: directory,
  FLEET_HOME: join(directory, 'home'),
};

/** What a program prints as JSON. */
function run(file: string, ...args: string[]): Record<string, unknown> {
  const { status, stdout, stderr } = spawnSync(file, args, { env, cwd: directory, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('the package', () => {
  it('is fleet-mcp, and its bins fleet and fleet-mcp are this command [NAME-package]', () => {
    expect(manifest.name).toBe('fleet-mcp');
    expect(Object.keys(manifest.bin).toSorted()).toEqual(['fleet', 'fleet-mcp']);
    for (const [name, file] of Object.entries(manifest.bin)) {
      const link = join(directory, name);
      symlinkSync(join(ROOT, file), link);
      expect(run(link, 'version', '--json')).toMatchObject({ version: manifest.version });
    }
  });

  it('is a command in a checkout that nothing was built in [NAME-bin-checkout]', () => {
    const checkout = join(directory, 'checkout');
    mkdirSync(checkout);
    for (const name of ['bin', 'src', 'package.json'])
      cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    const command = join(checkout, 'bin', 'fleet.js');
    accessSync(command, constants.X_OK);
    expect(run(command, 'call', 'list_agents')).toEqual({ agents: [], total_count: 0 });
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
  });

  it('is described to the MCP registry as package.json describes it', () => {
    const { repository, ...server } = JSON.parse(fileOf('server.json')) as RegistryEntry;
    expect(server).toMatchObject({
      name: manifest.mcpName,
      description: manifest.description,
      version: manifest.version,
      websiteUrl: manifest.homepage,
      packages: [{ registryType: 'npm', identifier: manifest.name, version: manifest.version }],
    });
    expect(`git+${repository.url}.git`).toBe(manifest.repository.url);
    // Limits of the registry.
    expect(manifest.mcpName).toMatch(/^io\.github\.[\w-]+\/[\w.-]+$/);
    expect(manifest.description.length).toBeLessThanOrEqual(100);
  });

  it('has its version in the lock, and with that of the contract at the top of the changelog', () => {
    expect(JSON.parse(fileOf('package-lock.json'))).toMatchObject({ version: manifest.version });
    const [, version, text] = /^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(fileOf('CHANGELOG.md')) ?? [];
    expect(version).toBe(manifest.version);
    expect(text).toContain(`Contract ${CONTRACT_VERSION}.`);
  });
});

describe('the packed package', () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    const place = join(directory, 'packed package');
    mkdirSync(place);
    installed = installPackage(place);
  });

  /** What a command of the installed package prints. */
  const output = (file: string, args: readonly string[], variables: Record<string, string> = {}): string => {
    const { status, stdout, stderr } = spawnSync(file, args, {
      env: { ...installed.env, ...variables },
      cwd: installed.directory,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    return stdout;
  };

  it('stays within its budget of size', () => {
    const { size } = statSync(installed.tarball);
    console.log(`packed size: ${Math.round(size / 1000)} kB of ${PACKED_BUDGET_BYTES / 1000} kB`);
    expect(size).toBeLessThan(PACKED_BUDGET_BYTES);
  });

  it('installs nothing but itself, without a network', () => {
    const modules = readdirSync(join(installed.directory, 'node_modules'));
    expect(modules.filter((name) => !name.startsWith('.'))).toEqual(['fleet-mcp']);
  });

  it('has its documents, its licences and the files that a Coder template needs', () => {
    const root = join(installed.directory, 'node_modules', 'fleet-mcp');
    const needed = ['README.md', 'CHANGELOG.md', 'LICENSE', 'dist/THIRD-PARTY-LICENSES.txt'];
    for (const file of [...needed, 'schema/fleet.schema.json', 'coder/docker/main.tf'])
      expect(existsSync(join(root, file)), file).toBe(true);
    expect(existsSync(join(root, 'src'))).toBe(false);
  });

  it('runs by npx', () => {
    expect(output('npx', ['fleet-mcp', '--version'])).toBe(`${manifest.version}\n`);
  });

  it.each([
    { named: 'fleet mcp', command: () => [installed.bin('fleet'), 'mcp'] },
    { named: 'npx, as server.json describes it', command: registryCommand },
  ])('lists its tools to a client that starts it by $named', async ({ command }) => {
    const [file = '', ...args] = command();
    const client = new Client({ name: 'test', version: '1.0.0' });
    const { env, directory: cwd } = installed;
    await client.connect(new StdioClientTransport({ command: file, args, env, cwd }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['create_agent', 'list_agents', 'wait_for_agents']),
      );
    } finally {
      await client.close();
    }
  });

  it('serves the demo, whose agents do what the README says', async () => {
    const home = join(installed.env.HOME, '.local', 'share', 'fleet', 'demo');
    const ofDemo = { FLEET_HOME: home, FLEET_CONFIG: join(home, 'fleet.yaml') };
    const fleet = (...args: string[]): string => output(installed.bin('fleet'), args, ofDemo);
    const server = spawn(installed.bin('fleet'), ['serve', '--or-demo', '--port', '0', '--json'], {
      env: { ...installed.env, FLEET_DEMO_PACE_MS: '0' },
      cwd: installed.directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(server, 'exit');
    try {
      await once(createInterface({ input: server.stdout }), 'line');
      await until(
        async () => JSON.parse(fleet('list', '--json')) as { total_count: number },
        ({ total_count }) => total_count === 4,
      );
      fleet('wait', 'ada', 'milo', 'iris');
      fleet('wait', 'kay', '--until', 'attention');
      const { agents } = JSON.parse(fleet('list', '--attention', '--json')) as { agents: { name: string }[] };
      expect(agents.map(({ name }) => name)).toEqual(['kay']);
      const lastCommit = (name: string): string =>
        output('git', ['-C', fleet('path', name).trim(), 'log', '-1', '--format=%s']);
      expect(lastCommit('ada')).toBe('Add median to stats\n');
      expect(lastCommit('milo')).toBe('Replace every space in a slug\n');
      expect(lastCommit('iris')).toBe('Add sum to stats\n');
      expect(lastCommit('kay')).toBe('Start tiny-kit\n');
    } finally {
      for (const name of ['ada', 'milo', 'iris', 'kay'])
        spawnSync(installed.bin('fleet'), ['delete', name], { env: { ...installed.env, ...ofDemo } });
      server.kill('SIGTERM');
      await exited;
    }
  });
});

interface RegistryEntry {
  readonly repository: { readonly url: string };
  readonly packages: readonly {
    readonly runtimeHint: string;
    readonly identifier: string;
    readonly version: string;
    readonly packageArguments: readonly { readonly value: string }[];
  }[];
}

/** How a client that found Fleet in the MCP registry starts it. */
function registryCommand(): readonly string[] {
  const { packages } = JSON.parse(fileOf('server.json')) as RegistryEntry;
  return packages.flatMap(({ runtimeHint, identifier, version, packageArguments }) => [
    runtimeHint,
    `${identifier}@${version}`,
    ...packageArguments.map(({ value }) => value),
  ]);
}

function fileOf(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}
