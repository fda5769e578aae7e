import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installing } from '../domain/values/errors.ts';

/** The directory of this package: a checkout, or where npm put it. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname);

/** The version of the contract: what operations take and return. */
export const CONTRACT_VERSION = '1.1.0';

/** The file that starts the command, for code that has to start it again. */
export const LAUNCHER = join(PACKAGE_ROOT, 'bin', 'fleet.js');

export function packageVersion(): string {
  const manifest = readManifest();
  return 'version' in manifest ? String(manifest.version) : '0.0.0';
}

/** The oldest Node that runs Fleet, such as `22.18`. */
export function oldestNode(): string {
  const manifest = readManifest();
  return 'engines' in manifest ? (/\d+\.\d+/.exec(JSON.stringify(manifest.engines))?.[0] ?? '0.0') : '0.0';
}

function readManifest(): object {
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null ? manifest : {};
}

/** A program of ours that is started as a process of its own: source in a checkout, built in the package. */
export function programFile(
  name:
    | 'backends/local/runner/runner-main'
    | 'backends/coder/runner/coder-runner-main'
    | 'runner/self-mcp-main'
    | 'runner/bridge-main'
    | 'server/stdio/team-main'
    | 'runner/metadata/read-taskfile-main'
    | 'backends/local/merge-main'
    | 'demo/demo-agent'
    | 'orchestrator/host/tools-host-main',
): string {
  const source = join(PACKAGE_ROOT, 'src', `${name}.ts`);
  return existsSync(source) ? source : join(PACKAGE_ROOT, 'dist', `${basename(name)}.js`);
}

/** A process that outlived its own files, because Fleet is being reinstalled, cannot start another one. */
export function checkInstalled(): void {
  const needed = [process.execPath, programFile('backends/local/runner/runner-main')];
  if (!needed.every((file) => existsSync(file))) throw installing();
}

function findRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('the files of this package are not together');
  return findRoot(parent);
}
