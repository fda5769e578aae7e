import { readFileSync } from 'node:fs';

export interface ProcStat {
  readonly parent: number;
  /** In clock ticks since boot: with the pid, and within one boot, it names a process for good. */
  readonly started: string;
}

/** What Linux says of a live process; undefined when it is gone or a zombie. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets and may hold anything: the rest is counted after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return { parent: Number(parent), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
