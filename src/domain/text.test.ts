import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { cut, cutOrNull, nearest } from './text.ts';

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('a', '😀', '👩‍🚀'), maxLength: 60 }),
);
const limit = fc.integer({ min: 1, max: 60 });

describe('cutting a text', () => {
  it('never makes it longer than the limit and never cuts a character in two', () => {
    fc.assert(
      fc.property(text, limit, (text, limit) => {
        const short = cut(text, limit);
        expect(short.length).toBeLessThanOrEqual(limit);
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });

  it('leaves a text within the limit alone, and marks one that is not with what it begins with', () => {
    fc.assert(
      fc.property(text, limit, (text, limit) => {
        const short = cut(text, limit);
        if (text.length <= limit) {
          expect(short).toBe(text);
          return;
        }
        expect(short.endsWith('…')).toBe(true);
        expect(text.startsWith(short.slice(0, -1))).toBe(true);
        expect(short.length).toBeGreaterThanOrEqual(limit - 1);
      }),
    );
  });

  it('leaves nothing as nothing', () => {
    expect(cutOrNull(null, 5)).toBeNull();
    expect(cutOrNull('abcdefgh', 5)).toBe('abcd…');
  });
});

describe('the nearest known word', () => {
  const known = ['agent_name', 'task_description', 'when_busy'];

  it('is the word itself when it is known, whatever its case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.boolean(), (word, upper) => {
        expect(nearest(upper ? word.toUpperCase() : word, known)).toBe(word);
      }),
    );
  });

  it('is found behind one wrong, missing or additional letter', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.nat(),
        fc.constantFrom('wrong', 'less', 'more'),
        (word, at, how) => {
          const place = at % word.length;
          const rest = word.slice(how === 'more' ? place : place + 1);
          expect(nearest(word.slice(0, place) + (how === 'less' ? '' : 'ß') + rest, known)).toBe(word);
        },
      ),
    );
  });

  it('is not there when nothing is near', () => {
    expect(nearest('zzzz', known)).toBeUndefined();
    expect(nearest('agent', [])).toBeUndefined();
  });
});
