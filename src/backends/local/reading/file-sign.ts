import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface FileSign {
  /** Another text after any change of a file, also of one that has its old size and time again. */
  readonly sign: string;
  /** When the last change was, in milliseconds. */
  readonly changed_at: number;
}

/** More files take longer to visit than they save. */
const MOST_FILES = 5_000;

/** Visits all files of a workspace, and of its git directory all but the objects, without opening one. Undefined when
 *  there are too many, when one cannot be visited, and without a git directory of its own. */
export function fileSign(workspace: string): FileSign | undefined {
  const objects = Buffer.from(join(workspace, '.git', 'objects'));
  const hash = createHash('sha256');
  const directories = [Buffer.from(workspace)];
  let changed = 0n;
  let isFine = false;
  let files = 0;
  try {
    if (!lstatSync(join(workspace, '.git')).isDirectory()) return undefined;
    for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
      const names = readdirSync(directory, 'buffer');
      files += names.length;
      if (files > MOST_FILES) return undefined;
      for (const name of names) {
        const path = Buffer.concat([directory, SLASH, name]);
        if (path.equals(objects)) continue;
        const found = lstatSync(path, { bigint: true });
        hash.update(path);
        hash.update(`\0${found.ino} ${found.mode} ${found.size} ${found.mtimeNs} ${found.ctimeNs}\n`);
        isFine ||= found.ctimeNs % 1_000_000_000n !== 0n;
        if (found.ctimeNs > changed) changed = found.ctimeNs;
        if (found.isDirectory()) directories.push(path);
      }
    }
  } catch {
    return undefined;
  }
  // A file system that counts seconds cannot tell two changes apart.
  if (!isFine) return undefined;
  return { sign: hash.digest('hex'), changed_at: Number(changed / 1_000_000n) };
}

const SLASH = Buffer.from('/');
