import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installing } from '../domain/errors.ts';

/** The directory of this package: a checkout, or where npm put it. */
export const PACKAGE_ROOT = findRoot(import.meta.dirname);

/** The version of the contract: what operations take and return. */
export const CONTRACT_VERSION = '1.0.0';

/** The file that starts the command, for whoever has to start it again. */
export const LAUNCHER = join(PACKAGE_ROOT, 'bin', 'fleet.js');

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}

/** A program of ours that is started as a process of its own: source in a checkout, built in the package. */
export function programFile(
  name:
    | 'backends/local/runner-main'
    | 'backends/coder/runner/coder-runner-main'
    | 'runner/self-mcp-main'
    | 'runner/bridge-main'
    | 'server/team-main'
    | 'runner/metadata/read-taskfile-main'
    | 'demo/demo-agent'
    | 'orchestrator/tools-host-main',
): string {
  const source = join(PACKAGE_ROOT, 'src', `${name}.ts`);
  return existsSync(source) ? source : join(PACKAGE_ROOT, 'dist', `${basename(name)}.js`);
}

/** A process that outlived its own files, because Fleet is being installed anew, can start no other one. */
export function checkInstalled(): void {
  const needed = [process.execPath, programFile('backends/local/runner-main')];
  if (!needed.every((file) => existsSync(file))) throw installing();
}

function findRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('the files of this package are not together');
  return findRoot(parent);
}
