import { statSync } from 'node:fs';

/** What tells a file from another one at the same path, or from none. */
export function fileLook(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
}
