import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import { oldOf } from './old-archives.ts';

const archive = (day: number, bytes: number) => ({
  deleted_at: new Date(day * 86_400_000).toISOString(),
  bytes,
});

it('what is too old goes, and the oldest of what is too much', () => {
  const archives = [archive(9, 4), archive(8, 4), archive(7, 4), archive(1, 0)];
  expect(oldOf(archives, { before: 2 * 86_400_000, bytes: 8 })).toEqual([archive(7, 4), archive(1, 0)]);
});

it('what stays is within the limit, and newer than all that goes', () => {
  const sizes = array(nat(1000), { maxLength: 30 });
  assert(
    property(sizes, nat(5000), nat(30), (bytes, limit, day) => {
      const archives = bytes.map((size, index) => archive(30 - index, size));
      const old = new Set(oldOf(archives, { before: day * 86_400_000, bytes: limit }));
      const left = archives.filter((each) => !old.has(each));
      expect(left.reduce((total, each) => total + each.bytes, 0)).toBeLessThanOrEqual(limit);
      expect(archives.slice(0, left.length)).toEqual(left);
    }),
  );
});
