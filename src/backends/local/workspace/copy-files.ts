import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join, normalize, resolve, sep } from 'node:path';
import type { LogLevel } from '../../../domain/task.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

type Log = (level: LogLevel, message: string) => void;

/** Copies files that git does not track from the project's repository. Nothing is written through a link that the
 *  workspace has: it may lead anywhere. */
export function copyFiles(
  { repository, directory, copy }: Pick<WorkspacePlan, 'repository' | 'directory' | 'copy'>,
  log: Log,
): void {
  for (const path of copy) {
    const found = statOf(join(repository, path));
    if (found === undefined) log('WARN', `${path} is to be copied, but the repository has none`);
    else if (copyEntry({ repository, directory, log }, normalize(path), found)) log('INFO', `copied ${path}`);
  }
}

interface Place {
  readonly repository: string;
  readonly directory: string;
  readonly log: Log;
}

/** False for a file or directory that is not copied. */
function copyEntry(place: Place, path: string, found: Stats): boolean {
  const { repository, directory, log } = place;
  const link = linkOnTheWay(directory, path);
  if (link !== undefined) {
    log('WARN', `${path} is not copied: ${link} is a symbolic link in the workspace`);
    return false;
  }
  const [from, to] = [join(repository, path), join(directory, path)];
  if (found.isDirectory()) {
    if (statOf(to)?.isDirectory() === false) rmSync(to);
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) {
      const entry = statOf(join(from, name));
      if (entry !== undefined) copyEntry(place, join(path, name), entry);
    }
    return true;
  }
  mkdirSync(dirname(to), { recursive: true });
  if (found.isSymbolicLink()) {
    rmSync(to, { recursive: true, force: true });
    symlinkSync(resolve(dirname(from), readlinkSync(from)), to);
  } else if (found.isFile()) copyFileSync(from, to);
  return true;
}

/** A part of a path inside a directory that is a symbolic link. */
function linkOnTheWay(directory: string, path: string): string | undefined {
  const parts = path.split(sep);
  const ways = parts.map((_, index) => parts.slice(0, index + 1).join(sep));
  return ways.find((way) => statOf(join(directory, way))?.isSymbolicLink() === true);
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
