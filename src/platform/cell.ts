import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { PROCESS_LIMIT } from './process-group.ts';

/** What a contained program sees of the places that are hidden from it. */
export interface Cell {
  /** Directories that are hidden, in this order, each with an empty directory where what is shown instead is put
   *  together: no mask before it may hide that one. */
  readonly masks: readonly { readonly path: string; readonly stage: string }[];
  /** What stays of them. What is not there is not shown. */
  readonly shown: readonly { readonly path: string; readonly writable: boolean }[];
  /** How many processes and threads it may have at once. */
  readonly processes: number;
  /** The file by which a process enters the group that bounds how many there can be; null without one. */
  readonly group: string | null;
}

/** Hides nothing. */
export const OPEN_CELL: Cell = { masks: [], shown: [], processes: PROCESS_LIMIT, group: null };

/** The steps that make the cell, as words for the init of a namespace. */
export function cellSteps({ masks, shown, group }: Cell): string[] {
  const real = shown.filter(({ path }) => existsSync(path));
  const views = masks.map(({ path, stage }) => ({ mask: realpathSync(path), stage }));
  return [
    ...(group === null ? [] : ['limit', group]),
    ...views.flatMap(({ mask, stage }) => [
      'stage',
      stage,
      ...real.flatMap((each) => showSteps(each, mask, stage)),
      'lock',
      stage,
    ]),
    ...views.flatMap(({ mask, stage }) => ['cover', stage, mask]),
  ];
}

function showSteps(
  { path, writable }: Cell['shown'][number],
  mask: string,
  stage: string,
): readonly string[] {
  const real = realpathSync(path);
  if (real === mask || !isWithin(mask, real)) return [];
  const target = join(stage, relative(mask, real));
  const show = [statSync(real).isDirectory() ? 'show' : 'show-file', real, target];
  return writable ? show : [...show, 'lock', target];
}

export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
