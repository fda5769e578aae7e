import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Directories of the user in which programs listen that act for the user. */
const DIRECTORIES = ['.docker/run', '.cache/git/credential', '.git-credential-cache'];
/** Directories that hold such sockets beside other files. */
const AMONG_FILES = ['.ssh', '.gnupg'];
const DEPTH = 2;

/** The places in a home directory where a program is known to listen. */
export function knownSockets(userHome: string): readonly string[] {
  return [
    ...DIRECTORIES.map((path) => join(userHome, path)),
    ...AMONG_FILES.flatMap((path) => socketsIn(join(userHome, path), DEPTH)),
  ];
}

function socketsIn(directory: string, depth: number): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isSocket()) return [path];
      return entry.isDirectory() && depth > 1 ? socketsIn(path, depth - 1) : [];
    });
  } catch {
    // A directory that this user cannot read is not readable for its agents either.
    return [];
  }
}
