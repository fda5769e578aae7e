import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Processes and threads of one agent's tasks: enough for any build, too few to starve a machine. */
export const PROCESS_LIMIT = 4_096;

/** Makes the group that bounds the processes of one agent, where this machine lets us; answers the file by which a
 *  process enters it. Doing it again is harmless. */
export function makeProcessGroup(marker: string, limit: number): string | null {
  for (const parent of parents()) {
    const group = join(parent, groupName(marker));
    try {
      mkdirSync(group, { recursive: true });
      if (existsSync(join(group, 'pids.max'))) {
        writeFileSync(join(group, 'pids.max'), String(limit));
        return join(group, 'cgroup.procs');
      }
      rmdirSync(group);
    } catch {
      // Not ours to make here; the next place may be.
    }
  }
  return null;
}

/** Removes the group once it is empty. */
export function removeProcessGroup(marker: string): void {
  for (const parent of parents()) {
    try {
      rmdirSync(join(parent, groupName(marker)));
    } catch {
      // It is not there, or something still ends in it and the next one removes it.
    }
  }
}

/** Removes the empty groups whose markers begin like this: a process that was killed leaves its own. */
export function removeProcessGroups(beginning: string): void {
  const name = groupName(beginning);
  for (const parent of parents())
    for (const each of entriesOf(parent))
      if (each.startsWith(name)) removeProcessGroup(each.slice(groupName('').length));
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function groupName(marker: string): string {
  return `fleet-${marker}`;
}

let known: readonly string[] | undefined;

/** Where control groups of ours may be made: beside our own, or below it. */
function parents(): readonly string[] {
  known ??= process.platform === 'linux' ? findParents() : [];
  return known;
}

function findParents(): readonly string[] {
  try {
    const own = ownGroups(readFileSync('/proc/self/cgroup', 'utf8'));
    return groupMounts(readFileSync('/proc/self/mounts', 'utf8')).flatMap(({ path, controllers }) => {
      const group = controllers === 'unified' ? own.get('') : own.get('pids');
      if (group === undefined) return [];
      const directory = join(path, group);
      return directory === path ? [directory] : [directory, dirname(directory)];
    });
  } catch {
    return [];
  }
}

/** The groups of this process: by controller in the old form, under the empty name in the new. */
export function ownGroups(text: string): ReadonlyMap<string, string> {
  const rows = text.split('\n').map((line) => line.split(':'));
  return new Map(
    rows.flatMap(([, controllers, ...path]) =>
      controllers === undefined
        ? []
        : controllers.split(',').map((controller) => [controller, path.join(':')] as const),
    ),
  );
}

interface GroupMount {
  readonly path: string;
  readonly controllers: 'pids' | 'unified';
}

/** Where the groups that can bound processes are mounted. */
export function groupMounts(text: string): readonly GroupMount[] {
  return text.split('\n').flatMap((line): GroupMount[] => {
    const [, path, type, options] = line.split(' ');
    if (path === undefined || options === undefined) return [];
    if (type === 'cgroup2') return [{ path, controllers: 'unified' }];
    return type === 'cgroup' && options.split(',').includes('pids') ? [{ path, controllers: 'pids' }] : [];
  });
}
