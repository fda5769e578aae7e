import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const LIMIT = 1024 * 1024;
const KEPT = 64 * 1024;

/** Keeps only the end of a file that grew too large. A process that has it open to append continues after that. */
export function capFile(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch {
    return;
  }
  try {
    const { size } = fstatSync(file);
    if (size <= LIMIT) return;
    const end = Buffer.alloc(KEPT);
    const read = readSync(file, end, 0, KEPT, size - KEPT);
    ftruncateSync(file, 0);
    writeSync(file, end.subarray(Math.max(0, end.indexOf('\n') + 1), read), 0, undefined, 0);
  } finally {
    closeSync(file);
  }
}
