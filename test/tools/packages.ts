import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A package of npm that these tests use, at the version that they were written with. */
export interface TestedPackage {
  readonly name: string;
  readonly version: string;
  /** The file of its program. */
  readonly program: string;
}

export const CONFORMANCE: TestedPackage = {
  name: '@modelcontextprotocol/conformance',
  version: '0.2.0-alpha.12',
  program: 'dist/index.js',
};

export const PUBLIC_SERVERS = {
  everything: {
    name: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    program: 'dist/index.js',
  },
  filesystem: {
    name: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    program: 'dist/index.js',
  },
  memory: { name: '@modelcontextprotocol/server-memory', version: '2026.8.31', program: 'dist/index.js' },
  thinking: {
    name: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    program: 'dist/index.js',
  },
  runner: { name: 'mcp-server-code-runner', version: '0.1.8', program: 'dist/cli.js' },
} as const satisfies Readonly<Record<string, TestedPackage>>;

/** Where they are kept between runs, outside of any checkout. */
export function packagesCache(env: NodeJS.ProcessEnv = process.env): string {
  if ((env['FLEET_TEST_TOOLS'] ?? '') !== '') return env['FLEET_TEST_TOOLS'] ?? '';
  const otherwise =
    process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(env['XDG_CACHE_HOME'] || otherwise, 'fleet-test-tools');
}

/** The file of its program; undefined when it could not be had. */
export function programOf({ name, version, program }: TestedPackage): string | undefined {
  const file = join(directoryOf({ name, version }), 'node_modules', name, program);
  return existsSync(file) ? file : undefined;
}

export function install(wanted: TestedPackage): boolean {
  if (programOf(wanted) !== undefined) return true;
  const directory = directoryOf(wanted);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  const { name, version } = wanted;
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
  spawnSync('npm', args, { cwd: directory, stdio: 'ignore', timeout: 180_000 });
  return programOf(wanted) !== undefined;
}

/** For the title of a test that needs it. */
export function without(wanted: TestedPackage): { readonly missing: boolean; readonly why: string } {
  const missing = programOf(wanted) === undefined;
  return { missing, why: missing ? ` (skipped: ${wanted.name} could not be installed)` : '' };
}

function directoryOf({ name, version }: Pick<TestedPackage, 'name' | 'version'>): string {
  return join(packagesCache(), `${name.replaceAll('/', '+')}@${version}`);
}
