import { spawnSync } from 'node:child_process';
import { BOOT_ID } from '../clock.ts';
import { readProcStat } from './proc-stat.ts';

/** A process for good: a pid alone may be somebody else's tomorrow. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
}

export function identify(pid: number): ProcessIdentity | undefined {
  const started = startTime(pid);
  return started === undefined ? undefined : { pid, started, boot: BOOT_ID };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === BOOT_ID && startTime(identity.pid) === identity.started;
}

/** Whether a stored value is the identity of a process that lives. */
export function isLiveProcess(value: unknown): boolean {
  return isIdentity(value) && isAlive(value);
}

/** Sends a signal to that very process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return (
    typeof value === 'object' && value !== null && 'pid' in value && 'started' in value && 'boot' in value
  );
}

function startTime(pid: number): string | undefined {
  return process.platform === 'linux' ? readProcStat(pid)?.started : psStartTime(pid);
}

function psStartTime(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
