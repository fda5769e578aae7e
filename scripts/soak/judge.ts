import type { Sample } from './sample.ts';

export interface Level {
  readonly what: string;
  readonly middle: number;
  readonly last: number;
  readonly flat: boolean;
}

/** How much more the last third may be than the middle third: a share, and something for what is small anyway. */
const ALLOWED: Readonly<Record<keyof Sample, { readonly name: string; share: number; more: number }>> = {
  processes: { name: 'processes beside the server', share: 0.05, more: 2 },
  descriptors: { name: 'descriptors of the runners', share: 0.05, more: 20 },
  inodes: { name: 'files in the home', share: 0.02, more: 10 },
  runners_memory: { name: 'memory of the runners (KB)', share: 0.1, more: 5_000 },
  server_memory: { name: 'memory of the server (KB)', share: 0.15, more: 10_000 },
  server_descriptors: { name: 'descriptors of the server', share: 0.05, more: 5 },
};

/** Means of the middle and of the last third, side by side. The first third is for getting warm. */
export function judge(samples: readonly Sample[]): readonly Level[] {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  return keysOf(ALLOWED).map((key) => {
    const [before, after] = [mean(middle, key), mean(last, key)];
    const { name, share, more } = ALLOWED[key];
    return { what: name, middle: before, last: after, flat: after <= before * (1 + share) + more };
  });
}

function keysOf(allowed: typeof ALLOWED): readonly (keyof Sample)[] {
  return Object.keys(allowed) as (keyof Sample)[];
}

function mean(samples: readonly Sample[], key: keyof Sample): number {
  return Math.round(samples.reduce((total, sample) => total + sample[key], 0) / samples.length);
}
