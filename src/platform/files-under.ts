import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds. */
  readonly changed_at: number;
}

/** All files below a directory. A link counts as itself and is never followed. */
export function filesUnder(directory: string): readonly FoundFile[] {
  return entriesOf(directory).flatMap((name) => {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isDirectory() ? filesUnder(path) : [{ path, bytes: found.size, changed_at: found.mtimeMs }];
  });
}

export interface FoundDirectory extends FoundFile {
  readonly name: string;
}

/** The directories in a directory, each as large as its files and as young as the youngest of them. */
export function directoriesIn(directory: string): readonly FoundDirectory[] {
  return entriesOf(directory).flatMap((name) => {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) return [];
    const files = filesUnder(path);
    const bytes = files.reduce((total, file) => total + file.bytes, 0);
    return [
      { name, path, bytes, changed_at: Math.max(found.mtimeMs, ...files.map((file) => file.changed_at)) },
    ];
  });
}

export function entriesOf(directory: string): readonly string[] {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? readdirSync(directory) : [];
}
