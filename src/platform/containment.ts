import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** `namespace`: the kernel ends every process of a task with the task, and with its runner.
 *  `marker`: processes are found by a variable in their environment; one that clears it gets away. */
export type ContainmentLevel = 'namespace' | 'marker';

export interface Containment {
  readonly level: ContainmentLevel;
  /** Why it is not better. */
  readonly reason: string | null;
}

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
}

/** Names the agent whose task a process belongs to, in that process's environment. */
export const RUN_MARKER = 'FLEET_RUN_MARKER';

/** What the processes of the containment itself have among their arguments, and a program does not. */
const INIT_NAME = 'fleet-task-init';

let known: { containment: Containment; unshare: readonly string[] } | undefined;

/** What this machine allows: found by doing it, never by version. */
export function containmentLevel(): Containment {
  return probe().containment;
}

/** The command line that runs a program inside the containment. */
export function contain(command: readonly string[]): Wrapped {
  const [file, ...args] = command;
  if (file === undefined) throw new Error('no command to contain');
  const { containment, unshare } = probe();
  if (containment.level === 'marker') return { file, args };
  // The shell is the namespace's init: it ends with the program, and the kernel ends the rest with it.
  // Without it the program would be init itself, which ignores signals that it has no handler for.
  const init = ['/bin/sh', '-c', '"$@"; exit $?', INIT_NAME];
  return {
    file: 'setpriv',
    args: ['--pdeathsig', 'KILL', 'unshare', ...unshare, ...init, file, ...args],
  };
}

/** True for a process of the containment itself, around the program. A program that is only just being started still is
 *  a copy of it. */
export function isAround(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(INIT_NAME);
  } catch {
    return false;
  }
}

function probe(): { containment: Containment; unshare: readonly string[] } {
  known ??= probeOnce();
  return known;
}

function probeOnce(): { containment: Containment; unshare: readonly string[] } {
  if (process.env['FLEET_CONTAINMENT'] === 'marker')
    return markerOnly('FLEET_CONTAINMENT=marker asks for it');
  if (process.platform !== 'linux') return markerOnly(`${process.platform} has no process namespaces`);
  const inner = ['--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
  const forms = [inner, ['--user', '--map-current-user', ...inner]];
  for (const unshare of forms) {
    const { status } = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'unshare', ...unshare, 'true'], {
      stdio: 'ignore',
    });
    if (status === 0) return { containment: { level: 'namespace', reason: null }, unshare };
  }
  return markerOnly('`setpriv … unshare --pid` is not there or not allowed on this machine');
}

function markerOnly(reason: string): { containment: Containment; unshare: readonly string[] } {
  return { containment: { level: 'marker', reason }, unshare: [] };
}
