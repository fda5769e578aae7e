import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The text of a regular file. Refuses what could keep its reader waiting, and what has no end. */
export function readRegularFile(path: string, limit_bytes: number): string {
  // A pipe would keep a plain open waiting for somebody who writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a regular file`);
    const bytes = readUpTo(file, limit_bytes + 1);
    if (bytes.length > limit_bytes) throw new Error(`${path} has more than ${limit_bytes} bytes`);
    return bytes.toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** What a file says of its size is not believed: some that have no end call themselves empty. */
function readUpTo(file: number, most: number): Buffer {
  const buffer = Buffer.alloc(most);
  let length = 0;
  let read: number;
  do {
    read = readSync(file, buffer, length, most - length, null);
    length += read;
  } while (read > 0 && length < most);
  return buffer.subarray(0, length);
}
