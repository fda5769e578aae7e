import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { RUN_MARKER } from './containment.ts';
import { removeProcessGroup } from './process-group.ts';
import { readProcStat } from './proc-stat.ts';

/** The processes of an agent's tasks: all that carry its marker, or one that goes on after it with a dot, and all
 *  descendants of those. */
export function findRun(marker: string): readonly number[] {
  return process.platform === 'linux' ? linuxRun(marker) : psRun(marker);
}

export function signalRun(marker: string, signal: NodeJS.Signals): number {
  let sent = 0;
  for (const pid of findRun(marker)) {
    try {
      process.kill(pid, signal);
      sent++;
    } catch {
      // It ended by itself.
    }
  }
  return sent;
}

/** Kills all that is left of an agent's tasks and answers when none of it is there any more. */
export async function sweepRun(marker: string): Promise<number> {
  let swept = 0;
  for (let round = 0; round < 200; round++) {
    const sent = signalRun(marker, 'SIGKILL');
    if (sent === 0) {
      removeProcessGroup(marker);
      return swept;
    }
    swept = Math.max(swept, sent);
    await delay(10);
  }
  return swept;
}

function linuxRun(marker: string): readonly number[] {
  const needle = `${RUN_MARKER}=${marker}`;
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const parent = readProcStat(pid)?.parent;
    if (parent === undefined) continue;
    parents.set(pid, parent);
    if (hasMarker(pid, needle)) found.add(pid);
  }
  return withDescendants(found, parents);
}

function hasMarker(pid: number, needle: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .some((variable) => variable === needle || variable.startsWith(`${needle}.`));
  } catch {
    return false;
  }
}

function psRun(marker: string): readonly number[] {
  const { stdout } = spawnSync('ps', ['-axwwE', '-o', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const parents = new Map<number, number>();
  const found = new Set<number>();
  for (const line of (stdout ?? '').split('\n')) {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || Number(pid) === process.pid) continue;
    parents.set(Number(pid), Number(parent));
    if (command?.includes(`${RUN_MARKER}=${marker}`) === true) found.add(Number(pid));
  }
  return withDescendants(found, parents);
}

function withDescendants(
  found: ReadonlySet<number>,
  parents: ReadonlyMap<number, number>,
): readonly number[] {
  return [...parents.keys()].filter((pid) => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (found.has(at)) return true;
    }
    return false;
  });
}
