import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { directoriesIn, entriesOf, filesUnder, type FoundFile } from '../../platform/files-under.ts';
import { amountOf, type GcFound, type GcPart } from '../../backends/gc-part.ts';

/** Databases that were damaged, and copies of those that were brought to a newer schema. */
const SET_ASIDE = /\.corrupt-|\.db\.v\d+\./;

/** The parts of a home that are files and nothing else. `before` is in milliseconds. */
export function homeParts(home: string, before: number): readonly GcPart[] {
  return [
    {
      name: 'set_aside',
      title: 'databases set aside',
      find: () => {
        const all = setAside(home);
        return found(all, olderThan(all, before));
      },
    },
    {
      name: 'compile_cache',
      title: 'compiled code',
      find: () => {
        const all = directoriesIn(join(home, 'cache', 'compile'));
        // What another Node compiled is of no use to this one.
        return found(
          all,
          all.filter(({ name }) => !name.startsWith(`v${process.versions.node}-`)),
        );
      },
    },
  ];
}

function setAside(home: string): readonly FoundFile[] {
  const agents = join(home, 'agents');
  const directories = [home, ...entriesOf(agents).map((name) => join(agents, name))];
  return directories.flatMap((directory) =>
    entriesOf(directory)
      .filter((name) => SET_ASIDE.test(name))
      .flatMap((name) => {
        const path = join(directory, name);
        const status = lstatSync(path, { throwIfNoEntry: false });
        if (status === undefined) return [];
        const bytes = status.isDirectory() ? amountOf(filesUnder(path)).bytes : status.size;
        return [{ path, bytes, changed_at: status.mtimeMs }];
      }),
  );
}

function olderThan<Each extends FoundFile>(files: readonly Each[], before: number): readonly Each[] {
  return files.filter(({ changed_at }) => changed_at < before);
}

function found(all: readonly FoundFile[], old: readonly FoundFile[]): GcFound {
  return {
    all: amountOf(all),
    old: amountOf(old),
    remove: () => {
      for (const { path } of old) rmSync(path, { recursive: true, force: true });
    },
  };
}
