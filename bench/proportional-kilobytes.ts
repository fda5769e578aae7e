import { readFileSync } from 'node:fs';

/** Memory of a process, its share of the pages that it has in common with others included. Needs Linux. */
export function proportionalKilobytes(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes);
}
