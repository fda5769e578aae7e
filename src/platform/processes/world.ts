import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** The file system as a contained program sees it. Everything that is not named here is read-only. */
export interface World {
  /** An empty directory that no agent can write to, where the world is put together. */
  readonly root: string;
  /** Another such directory, for the mount points in hidden directories, and for devices. */
  readonly scratch: string;
  /** Files and directories that are shown, at their own path or at another one. Those that do not exist are left out. */
  readonly shown: readonly Shown[];
  /** Files and directories that are empty in it, except for what is shown of them. */
  readonly hidden: readonly string[];
  /** Directories that have another directory in their place, which the program can write to. */
  readonly replaced: readonly { readonly path: string; readonly by: string }[];
}

export interface Shown {
  readonly from: string;
  readonly at?: string;
  /** False for a path that needs no writing. It can be written to where a directory around it can. */
  readonly writable: boolean;
}

type Part = { readonly at: string } & (
  | { readonly kind: 'show'; readonly from: string; readonly writable: boolean }
  | { readonly kind: 'hide' }
  | { readonly kind: 'replace'; readonly by: string }
);

/** The steps that make the world, as words for the init of a namespace, which then has to enter it. */
export function worldSteps({ root, scratch, shown, hidden, replaced }: World): string[] {
  const parts: readonly Part[] = [
    ...replaced.flatMap(({ path, by }) =>
      existsSync(path) ? [{ kind: 'replace' as const, at: realpathSync(path), by }] : [],
    ),
    ...hidden.flatMap((path) =>
      existsSync(path) ? [{ kind: 'hide' as const, at: realpathSync(path) }] : [],
    ),
    ...shown.flatMap(({ from, at, writable }) =>
      existsSync(from)
        ? [{ kind: 'show' as const, from: realpathSync(from), at: at ?? realpathSync(from), writable }]
        : [],
    ),
  ];
  const plan = new Plan();
  for (const part of parts.toSorted(parentsFirst)) plan.add(part);
  return ['world', root, scratch, ...plan.steps(), 'devices'];
}

class Plan {
  readonly #done: Part[] = [];
  readonly #mounts: string[] = [];
  readonly #directories = ['dev/pts', 'dev/shm', 'hidden'];
  readonly #files: string[] = [];

  steps(): string[] {
    const directories = ['directories', String(this.#directories.length), ...this.#directories];
    return [...directories, ...this.#files.flatMap((path) => ['file', path]), 'made', ...this.#mounts];
  }

  add(part: Part): void {
    const around = nearest(this.#done, part.at);
    if (isThereAlready(part, around)) return;
    if (around?.kind === 'replace') {
      const top = join(around.at, relative(around.at, part.at).split(sep)[0] ?? '');
      if (part.kind === 'hide' && part.at === top) return;
      makeMountPoint(join(around.by, relative(around.at, top)), top !== part.at || isDirectoryPart(part));
      if (top !== part.at) {
        this.#put({ kind: 'hide', at: top });
        this.add(part);
        return;
      }
    }
    // A directory on the way to a mount point that the program could rename would take the mount point with it.
    if (around?.kind === 'show' && around.writable)
      this.#mounts.push(...between(around.at, part.at).flatMap((path) => ['pin', path]));
    if (around?.kind === 'hide')
      this.#makePlace(join(this.#placeOf(around), relative(around.at, part.at)), part);
    this.#put(part);
  }

  #put(part: Part): void {
    this.#done.push(part);
    if (part.kind !== 'hide' || !isDirectoryPart(part)) this.#mounts.push(...stepsOf(part));
    else {
      this.#directories.push(this.#placeOf(part));
      this.#mounts.push('hide', String(this.#done.length - 1), part.at);
    }
  }

  #makePlace(place: string, part: Part): void {
    const directory = isDirectoryPart(part);
    this.#directories.push(directory ? place : dirname(place));
    if (!directory) this.#files.push(place);
  }

  /** What a hidden directory has in its place, from the scratch directory on. */
  #placeOf(hidden: Part): string {
    return `hidden/${this.#done.indexOf(hidden)}`;
  }
}

export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function stepsOf(part: Part): string[] {
  switch (part.kind) {
    case 'show':
      return [
        `${part.writable ? 'show' : 'read'}${isDirectoryPart(part) ? '' : '-file'}`,
        part.from,
        part.at,
      ];
    case 'hide':
      return ['hide-file', part.at];
    case 'replace':
      return ['replace', part.by, part.at];
  }
}

function isDirectoryPart(part: Part): boolean {
  const path = part.kind === 'show' ? part.from : part.at;
  // A directory that only the new world has.
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

const ORDER: Readonly<Record<Part['kind'], number>> = { replace: 0, hide: 1, show: 2 };

function parentsFirst(one: Part, other: Part): number {
  return one.at.length - other.at.length || ORDER[one.kind] - ORDER[other.kind];
}

/** The last part that the place lies in: later ones are on top of earlier ones. */
function nearest(done: readonly Part[], at: string): Part | undefined {
  return done.findLast((part) => isWithin(part.at, at));
}

/** True when the parts before leave the place as this part would make it. */
function isThereAlready(part: Part, around: Part | undefined): boolean {
  if (around === undefined) return part.kind === 'show' && part.from === part.at && !part.writable;
  if (part.kind === 'hide') return around.kind === 'hide';
  if (part.kind === 'replace') return around.at === part.at;
  const asItIs = around.kind === 'show' && part.from === join(around.from, relative(around.at, part.at));
  return asItIs && (around.writable || !part.writable);
}

function between(top: string, path: string): readonly string[] {
  const parent = dirname(path);
  return parent.length <= top.length ? [] : [...between(top, parent), parent];
}

/** In a directory that the agent writes to: a link that it left there must not be followed. */
function makeMountPoint(path: string, directory: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && (directory ? found.isDirectory() : found.isFile())) return;
  rmSync(path, { recursive: true, force: true });
  if (directory) mkdirSync(path);
  else writeFileSync(path, '', { flag: 'wx' });
}
