import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where short-lived files go: also when TMPDIR names a directory that is not there. */
export function temporaryDirectory(): string {
  return statSync(tmpdir(), { throwIfNoEntry: false })?.isDirectory() === true ? tmpdir() : '/tmp';
}
