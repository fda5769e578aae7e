/** One line of the table. Every claim is beside something that was measured in the same run. */
export interface Row {
  readonly measure: string;
  readonly ours: string;
  /** What it is held against, with its own figure. */
  readonly peer: string;
  /** Ours divided by the peer's; null where there is nothing to divide by. */
  readonly ratio: number | null;
  readonly target: string | null;
  readonly met: boolean | null;
  /** How the figures were taken. */
  readonly how: string;
}

type Side = () => number | Promise<number>;

/** Runs all sides in turns, in another order each round because machines are noisy, and gives all their figures. */
export async function alternate<Name extends string>(
  { rounds, warmups = 1 }: { readonly rounds: number; readonly warmups?: number },
  sides: Readonly<Record<Name, Side>>,
): Promise<Record<Name, Figures>> {
  const names = Object.keys(sides) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmups; round < rounds; round++) {
    const first = Math.abs(round) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const figure = await sides[name]();
      if (round >= 0) taken[name].push(figure);
    }
  }
  return Object.fromEntries(names.map((name) => [name, new Figures(taken[name])])) as Record<Name, Figures>;
}

export class Figures {
  readonly median: number;
  readonly worst: number;
  readonly mean: number;

  constructor(values: readonly number[]) {
    if (values.length === 0) throw new Error('nothing was measured');
    this.median = median(values);
    this.worst = Math.max(...values);
    this.mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** On the clock of facts. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds that some work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds for one of many calls: for work that is too short to be timed alone. */
export async function timedEach(count: number, work: (index: number) => unknown): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < count; index++) await work(index);
  return (performance.now() - start) / count;
}

export function milliseconds(value: number): string {
  if (value < 1) return `${(value * 1000).toFixed(0)} µs`;
  if (value < 1000) return `${value.toFixed(value < 20 ? 1 : 0)} ms`;
  return `${(value / 1000).toFixed(2)} s`;
}

export function megabytes(kilobytes: number): string {
  return `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** A row whose target is a ratio. */
export function ratioRow(
  names: { readonly measure: string; readonly peer: string; readonly how: string },
  figures: { readonly ours: number; readonly peer: number },
  limit?: number,
): Row {
  const ratio = figures.ours / figures.peer;
  return {
    measure: names.measure,
    ours: milliseconds(figures.ours),
    peer: `${names.peer}: ${milliseconds(figures.peer)}`,
    ratio,
    target: limit === undefined ? null : `≤ ${limit} ×`,
    met: limit === undefined ? null : ratio <= limit,
    how: names.how,
  };
}

/** What cannot be measured here is named, not left out. */
export function skippedRow(measure: string, why: string): Row {
  return { measure, ours: 'skipped', peer: '–', ratio: null, target: null, met: null, how: why };
}
