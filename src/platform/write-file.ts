import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { storageError } from '../domain/values/errors.ts';
import { reasonOfErrno } from '../domain/values/storage-problem.ts';

/** Writes a file so that a crash leaves the old one or the new one, never half of it. */
export function writeFileAtomic(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      // `writeSync` may write a part only.
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    const reason = reasonOfErrno(thrown);
    throw reason === undefined ? thrown : storageError(reason, path, thrown);
  }
}
