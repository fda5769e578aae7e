import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What is left of a deleted agent: its journal and its log. */
export interface Archive {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds; nothing in it was written later. */
  readonly changed_at: number;
}

const WORKSPACE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The archives of deleted agents. Live agents lie elsewhere and are not looked at. */
export function archivesOf(home: string): readonly Archive[] {
  const directory = join(home, 'archive');
  return entriesOf(directory)
    .filter((name) => WORKSPACE_ID.test(name))
    .map((name) => {
      const path = join(directory, name);
      const files = filesUnder(path);
      return {
        path,
        bytes: sum(files.map(({ bytes }) => bytes)),
        changed_at: Math.max(lstatSync(path).mtimeMs, ...files.map((file) => file.changed_at)),
      };
    });
}

export function removeArchive({ path }: Archive): void {
  rmSync(path, { recursive: true, force: true });
}

export function compileCacheBytes(home: string): number {
  return sum(filesUnder(join(home, 'cache', 'compile')).map(({ bytes }) => bytes));
}

export function totalBytes(archives: readonly Archive[]): number {
  return sum(archives.map(({ bytes }) => bytes));
}

interface FoundFile {
  readonly bytes: number;
  readonly changed_at: number;
}

/** A link counts as itself and is never followed. */
function filesUnder(directory: string): readonly FoundFile[] {
  return entriesOf(directory).flatMap((name) => {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return found.isDirectory() ? filesUnder(path) : [{ bytes: found.size, changed_at: found.mtimeMs }];
  });
}

function entriesOf(directory: string): readonly string[] {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return found?.isDirectory() === true && existsSync(directory) ? readdirSync(directory) : [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
