import { spawnSync } from 'node:child_process';
import { findProgram } from '../../src/platform/processes/find-program.ts';
import { missingPrograms } from '../coder/missing-programs.ts';

const has = (name: string): boolean => findProgram(name, process.env['PATH']) !== undefined;

/** What the tests with real containers need, and this machine neither has nor can install. */
export function missingParts(): readonly string[] {
  if (process.platform !== 'linux') return ['Linux'];
  const others = missingPrograms();
  if (answers()) return others;
  if (process.getuid?.() !== 0) return [...others, 'running Docker daemon, and only root can start one'];
  return canInstall() ? others : [...others, 'Docker'];
}

/** Installs Docker, and what an image is made with, where they are packages of the system. */
export function installDocker(): void {
  if (answers() || (has('dockerd') && has('docker') && has('debootstrap'))) return;
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'pipe' } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  const packages = ['docker.io', 'debootstrap'];
  const { status, stderr } = spawnSync(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
    options,
  );
  if (status !== 0) throw new Error(`Docker cannot be installed: ${stderr.toString()}`);
}

function canInstall(): boolean {
  return has('apt-get') || (has('dockerd') && has('docker'));
}

function answers(): boolean {
  return has('docker') && spawnSync('docker', ['version']).status === 0;
}
