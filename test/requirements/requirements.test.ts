import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breaks } from './breaks.ts';
import { findCitations } from './citations.ts';
import { NOT_YET } from './row.ts';
import { requirements } from './rows.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const citations = findCitations();
const cited = new Set(citations.flatMap(({ ids }) => ids));

describe('the table of requirements', () => {
  it('has each id once', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has a test for every row that is not marked as not yet', () => {
    const missing = requirements.filter(({ id, waitsFor }) => waitsFor === undefined && !cited.has(id));
    expect(missing.map(({ id, text }) => `${id}: ${text}`)).toEqual([]);
  });

  it('marks nothing as not yet that has a test', () => {
    expect(
      requirements.filter(({ id, waitsFor }) => waitsFor !== undefined && cited.has(id)).map(({ id }) => id),
    ).toEqual([]);
  });

  it('marks rows as not yet for named parts only', () => {
    const parts: ReadonlySet<string> = new Set(NOT_YET);
    expect(requirements.filter(({ waitsFor }) => waitsFor !== undefined && !parts.has(waitsFor))).toEqual([]);
  });

  it('is cited by rows that exist, at most three by one test', () => {
    const known = new Set(requirements.map(({ id }) => id));
    const wrong = citations.filter(({ ids }) => ids.length > 3 || ids.some((id) => !known.has(id)));
    expect(wrong.map(({ file, title, ids }) => `${file}: ${title} [${ids.join(', ')}]`)).toEqual([]);
  });
});

describe('the breaks', () => {
  it('name rows that are tested, and a piece of a file that is there once', () => {
    const wrong = breaks.filter(
      ({ id, file, find }) =>
        !cited.has(id) || readFileSync(join(ROOT, file), 'utf8').split(find).length !== 2,
    );
    expect(wrong.map(({ id, find }) => `${id}: ${find}`)).toEqual([]);
  });
});
