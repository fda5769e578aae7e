import { readFileSync, statSync, type BigIntStats } from 'node:fs';

export const TEXT_FILE_LIMIT = 10 * 1024 * 1024;

export type TextFile =
  | { readonly text: string; readonly bytes: Buffer; readonly stamp: Stamp }
  | { readonly problem: string };

/** What tells one state of a file from another without reading it. */
export interface Stamp {
  readonly identity: string;
  readonly changed_ms: number;
}

/** A whole text file, or why there is none, to be put behind its name: `does not exist`. */
export function readTextFile(path: string): TextFile {
  try {
    const stats = statSync(path, { bigint: true });
    // Anything else, such as a pipe, could block, or could not be read a second time.
    if (!stats.isFile()) return { problem: stats.isDirectory() ? 'is a directory' : 'is not a regular file' };
    if (stats.size > TEXT_FILE_LIMIT) return { problem: `has more than ${TEXT_FILE_LIMIT} bytes` };
    const bytes = readFileSync(path);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes, stamp: stampOf(stats) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

export function stampFile(path: string): Stamp | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : stampOf(stats);
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
  return {
    identity: [dev, ino, size, mtimeNs, ctimeNs].join(':'),
    changed_ms: Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n),
  };
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read: permission denied';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text';
    default:
      return `cannot be read (${typeof code === 'string' ? code : 'unknown reason'})`;
  }
}
