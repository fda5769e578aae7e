import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** Of paths that git does not know in a checkout, those where something is. Git would overwrite what it ignores. */
export function inTheWay(
  directory: string,
  { added, known }: { readonly added: readonly string[]; readonly known: ReadonlySet<string> },
): readonly string[] {
  return added.filter((path) => isTaken(directory, path, known));
}

/** Whether all directories on the way to a path are directories: a link may lead anywhere. */
export function isPlainPath(directory: string, path: string): boolean {
  return parentsOf(path).every((parent) => lookAt(directory, parent)?.isDirectory() === true);
}

function isTaken(directory: string, path: string, known: ReadonlySet<string>): boolean {
  for (const parent of parentsOf(path)) {
    const found = lookAt(directory, parent);
    if (found === undefined) return false;
    if (!found.isDirectory()) return !known.has(parent);
  }
  const found = lookAt(directory, path);
  return found !== undefined && (found.isDirectory() ? hasUnknown(directory, path, known) : true);
}

function hasUnknown(directory: string, path: string, known: ReadonlySet<string>): boolean {
  return readdirSync(join(directory, path), { withFileTypes: true }).some((entry) => {
    const inner = `${path}/${entry.name}`;
    return entry.isDirectory() ? hasUnknown(directory, inner, known) : !known.has(inner);
  });
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

function lookAt(directory: string, path: string): Stats | undefined {
  return lstatSync(join(directory, path), { throwIfNoEntry: false });
}
