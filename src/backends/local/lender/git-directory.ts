import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Setting = readonly [key: string, value: string];

export interface GitDirectory {
  readonly path: string;
  readonly format: 'sha1' | 'sha256';
  readonly head: string;
  readonly settings: readonly Setting[];
  /** Directories of objects that it borrows. */
  readonly alternates: readonly string[];
}

/** Writes a new git directory. No git is started for it: there is nothing yet that git would have to look at. */
export function makeGitDirectory({ path, format, head, settings, alternates }: GitDirectory): void {
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks'])
    mkdirSync(join(path, name), { recursive: true });
  writeFileSync(join(path, 'HEAD'), `${head}\n`);
  const extensions = settings.some(([key]) => key.toLowerCase().startsWith('extensions.'));
  const all: readonly Setting[] = [
    ['core.repositoryFormatVersion', format === 'sha256' || extensions ? '1' : '0'],
    ...(format === 'sha256' ? [['extensions.objectFormat', 'sha256'] as const] : []),
    ...settings,
  ];
  writeFileSync(join(path, 'config'), configText(all));
  if (alternates.length > 0)
    writeFileSync(join(path, 'objects', 'info', 'alternates'), alternatesText(alternates));
}

export function alternatesText(directories: readonly string[]): string {
  return directories.map((directory) => `${alternateLine(directory)}\n`).join('');
}

/** Git reads a line that begins with a quote as a quoted one: the only way to write a line break. */
function alternateLine(directory: string): string {
  return directory.includes('\n') ? quoted(directory) : directory;
}

/** As a file of git's own form, in which any value can be written. */
export function configText(settings: readonly Setting[]): string {
  return settings
    .map(([key, value]) => {
      const first = key.indexOf('.');
      const last = key.lastIndexOf('.');
      const section = key.slice(0, first);
      const middle = last === first ? '' : ` ${quoted(key.slice(first + 1, last))}`;
      return `[${section}${middle}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
    })
    .join('');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

export function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}
