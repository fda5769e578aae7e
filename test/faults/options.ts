import { parseArgs } from 'node:util';

export interface FaultOptions {
  /** The beginning of the ids of the cases to run: `create`, `create/runner-1`, `create/runner-1/17`. */
  readonly only: string;
  readonly jobs: number;
  readonly seed: number;
  /** How long the random killer goes on. */
  readonly minutes: number;
  /** How often a case that failed is tried again: one that then holds each time is named, and does not fail the run. */
  readonly again: number;
  /** After so many minutes no further case is begun; 0 for no limit. */
  readonly within: number;
  /** Writes docs/crash-points.md and points.json. */
  readonly write: boolean;
}

export function readOptions(args: readonly string[]): FaultOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '4' },
      seed: { type: 'string' },
      minutes: { type: 'string', default: '2' },
      again: { type: 'string', default: '0' },
      within: { type: 'string', default: '0' },
      write: { type: 'boolean', default: false },
    },
  });
  const { only, write } = values;
  const seed = Number(values.seed ?? Date.now() % 100_000);
  return {
    only,
    write,
    seed,
    again: Number(values.again),
    within: Number(values.within),
    jobs: Number(values.jobs),
    minutes: Number(values.minutes),
  };
}

/** True for an id that begins with all the words that were asked for. */
export function isWanted(id: string, only: string): boolean {
  const words = id.split('/');
  return only === '' || only.split('/').every((word, index) => words[index] === word);
}
