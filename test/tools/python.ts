import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesCache } from './packages.ts';

/** Packages of PyPI that these tests use: the MCP SDK with its client, and servers made with it. */
export const PYTHON_PACKAGES = [
  'mcp==2.3.0',
  'mcp-server-time==2026.10.19',
  'mcp-server-git==2026.10.19',
  'mcp-server-fetch==2026.10.24',
] as const;

const PROGRAMS = ['python', 'mcp-server-time', 'mcp-server-git', 'mcp-server-fetch'] as const;
export type PythonProgram = (typeof PROGRAMS)[number];

export function pythonProgram(name: PythonProgram): string {
  return join(environment(), 'bin', name);
}

/** True when they are there. */
export function installPython(): boolean {
  if (isInstalled()) return true;
  const directory = environment();
  rmSync(directory, { recursive: true, force: true });
  const options = { stdio: 'ignore', timeout: 300_000 } as const;
  spawnSync('python3', ['-m', 'venv', directory], options);
  spawnSync(pythonProgram('python'), ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES], options);
  return isInstalled();
}

/** For the title of a test that needs them. */
export function withoutPython(): { readonly missing: boolean; readonly why: string } {
  const missing = !isInstalled();
  return { missing, why: missing ? ' (skipped: the Python packages could not be installed)' : '' };
}

function isInstalled(): boolean {
  return PROGRAMS.every((name) => existsSync(pythonProgram(name)));
}

function environment(): string {
  const key = createHash('sha256').update(PYTHON_PACKAGES.join(' ')).digest('hex').slice(0, 8);
  return join(packagesCache(), `python-${key}`);
}
