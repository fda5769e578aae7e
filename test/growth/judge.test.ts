import { describe, expect, it } from 'vitest';
import { judge } from '../../scripts/soak/judge.ts';
import type { Sample } from '../../scripts/soak/sample.ts';

const level = {
  processes: 100,
  descriptors: 3_000,
  inodes: 1_500,
  runners_memory: 2_000_000,
  server_memory: 100_000,
  server_descriptors: 30,
};
const samples = (of: (index: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 90 }, (_, index) => ({ ...level, ...of(index) }));
const growing = (of: (index: number) => Partial<Sample>): string[] =>
  judge(samples(of)).flatMap(({ what, flat }) => (flat ? [] : [what]));

describe('a soak is judged', () => {
  it('flat when the last third is as the middle third, whatever the first was', () => {
    expect(growing(() => ({}))).toEqual([]);
    expect(growing((index) => (index < 30 ? { processes: 1, inodes: 5, runners_memory: 9 } : {}))).toEqual(
      [],
    );
  });

  it('growing by what grows, and by nothing else', () => {
    expect(growing((index) => ({ inodes: 1_500 + 5 * index }))).toEqual(['files in the home']);
    expect(growing((index) => ({ server_descriptors: 30 + index }))).toEqual(['descriptors of the server']);
    expect(growing((index) => ({ runners_memory: 2_000_000 + 20_000 * index }))).toEqual([
      'memory of the runners (KB)',
    ]);
  });
});
