import type { Sample } from './sample.ts';

export interface Level {
  readonly what: string;
  readonly middle: number;
  readonly last: number;
  readonly flat: boolean;
}

interface Allowed {
  readonly name: string;
  readonly share: number;
  readonly more: number;
  readonly of: (values: readonly number[]) => number;
}

/** How much more the last third may be than the middle third: a share, and something for what is small anyway. Of memory
 *  the least counts, which is what a collection leaves: between two of them it rises without anything being kept. */
const ALLOWED: Readonly<Record<keyof Sample, Allowed>> = {
  processes: { name: 'processes beside the server', share: 0.05, more: 2, of: mean },
  descriptors: { name: 'descriptors of the runners', share: 0.05, more: 20, of: mean },
  inodes: { name: 'files in the home', share: 0.02, more: 10, of: mean },
  runners_memory: { name: 'memory of the runners (KB)', share: 0.1, more: 5_000, of: least },
  server_memory: { name: 'memory of the server (KB)', share: 0.15, more: 10_000, of: least },
  server_descriptors: { name: 'descriptors of the server', share: 0.05, more: 5, of: mean },
};

/** The middle and the last third, side by side. The first third is for getting warm. */
export function judge(samples: readonly Sample[]): readonly Level[] {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  return keysOf(ALLOWED).map((key) => {
    const { name, share, more, of } = ALLOWED[key];
    const level = (part: readonly Sample[]): number => Math.round(of(part.map((sample) => sample[key])));
    const [before, after] = [level(middle), level(last)];
    return { what: name, middle: before, last: after, flat: after <= before * (1 + share) + more };
  });
}

function keysOf(allowed: typeof ALLOWED): readonly (keyof Sample)[] {
  return Object.keys(allowed) as (keyof Sample)[];
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}
