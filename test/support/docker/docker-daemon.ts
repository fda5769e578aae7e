import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { docker } from './docker.ts';
import { dockerCache } from './docker-cache.ts';

const START_MS = 60_000;

export interface DockerDaemon {
  /** Started by the tests, and theirs alone. */
  readonly own: boolean;
  /** The address by which containers reach this machine. */
  readonly gateway: string;
}

/** The machine's own daemon, else one that is started; this process and its children then use that. */
export async function openDaemon(): Promise<DockerDaemon> {
  const own = !(await answers());
  if (own) {
    process.env['DOCKER_HOST'] = `unix://${join(dockerCache(), 'docker.sock')}`;
    await untilAlone();
    await startOwnDaemon();
    await removeLeftovers();
  }
  return { own, gateway: await gatewayOfBridge() };
}

/** A daemon that has only just made its network does not name the gateway: it is the first address then. */
async function gatewayOfBridge(): Promise<string> {
  const format = '{{with index .IPAM.Config 0}}{{.Gateway}},{{.Subnet}}{{end}}';
  const [gateway = '', subnet = ''] = (
    await docker('network', 'inspect', 'bridge', '--format', format)
  ).split(',');
  return gateway === '' ? subnet.replace(/\.0\/\d+$/, '.1') : gateway;
}

/** Waits for another run of the tests on this machine, and ends the daemon of one that was killed. */
async function untilAlone(): Promise<void> {
  mkdirSync(dockerCache(), { recursive: true });
  const file = join(dockerCache(), 'owner');
  while (isRunning(file)) await delay(1_000);
  await stopOwnDaemon();
  writeFileSync(file, String(process.pid));
}

/** Whether the run that a file names is there. */
function isRunning(file: string): boolean {
  try {
    return readFileSync(`/proc/${readFileSync(file, 'utf8')}/cmdline`, 'utf8').includes('vitest');
  } catch {
    return false;
  }
}

/** Starts the tests' own daemon. */
export async function startOwnDaemon(): Promise<void> {
  const cache = dockerCache();
  const log = openSync(join(cache, 'dockerd.log'), 'a');
  const places = ['data-root', 'exec-root', 'pidfile'].map((name) => `--${name}=${join(cache, name)}`);
  // The machine's firewall is left as it is: containers reach this machine and nothing else.
  const settings = ['--iptables=false', '--ip6tables=false', `--host=unix://${join(cache, 'docker.sock')}`];
  const child = spawn('dockerd', [...places, ...settings], { detached: true, stdio: ['ignore', log, log] });
  child.unref();
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`dockerd has ended: ${tail(join(cache, 'dockerd.log'))}`)));
  });
  ended.catch(() => {});
  const end = Date.now() + START_MS;
  while (!(await Promise.race([answers(), ended]))) {
    if (Date.now() > end) throw new Error('dockerd does not start');
    await delay(100);
  }
}

/** Ends the tests' own daemon, and with it every container. */
export async function stopOwnDaemon(): Promise<void> {
  const file = join(dockerCache(), 'pidfile');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8'));
  if (!isDaemon(pid)) return;
  process.kill(pid, 'SIGTERM');
  while (isDaemon(pid)) await delay(50);
}

function isDaemon(pid: number): boolean {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dockerd');
  } catch {
    return false;
  }
}

/** What a run that was killed has left. */
async function removeLeftovers(): Promise<void> {
  for (const [kind, ...remove] of [
    ['container', 'rm', '--force', '--volumes'],
    ['volume', 'rm', '--force'],
  ] as const) {
    const all = kind === 'container' ? ['--all'] : [];
    const ids = (await docker(kind, 'ls', '--quiet', ...all)).split('\n').filter((id) => id !== '');
    if (ids.length > 0) await docker(kind, ...remove, ...ids);
  }
  await docker('image', 'prune', '--force');
}

async function answers(): Promise<boolean> {
  return docker('version', '--format', '{{.Server.Version}}').then(
    () => true,
    () => false,
  );
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-5).join('\n');
}
