import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { cut, cutOrNull, nearest, oneLine, shellWord, variableText, withoutFullStop } from './text.ts';

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

  it('is near when a third of a long word, or two letters of a short one, are wrong', () => {
    expect(nearest('task_dexxxxption', known)).toBe('task_description');
    expect(nearest('xy', ['ab'])).toBe('ab');
    expect(nearest('xyz', ['abc'])).toBeUndefined();
    expect(nearest('', ['a', 'ab'])).toBe('a');
    expect(nearest('ab', ['xb', 'ax'])).toBe('xb');
  });

  it('is not there when nothing is near', () => {
    expect(nearest('zzzz', known)).toBeUndefined();
    expect(nearest('agent', [])).toBeUndefined();
  });
});

it('a text on one line has one space for what broke it', () => {
  expect(oneLine(' one\r\n\ttwo\u2028three\u0000 ')).toBe('one two three');
});

it('a text inside a sentence has no full stop, and keeps its ellipsis', () => {
  expect(withoutFullStop('It failed. Twice. ')).toBe('It failed. Twice');
  expect(withoutFullStop('It goes on...')).toBe('It goes on...');
});

it('a variable holds 120,000 bytes of a text, and no part of a character', () => {
  const full = 'x'.repeat(120_000);
  expect(variableText(full)).toBe(full);
  expect(variableText(`${full}x`)).toBe(full);
  expect(variableText(`\uFFFD${'x'.repeat(119_996)}ü`)).toBe(`\uFFFD${'x'.repeat(119_996)}`);
});

it('makes one word for a shell of any text', () => {
  const words = ['plain', "o'neil's folder", 'mein projekt ü', '$HOME `id` "x" \\ *', '', '\n'];
  const printed = execFileSync('sh', ['-c', `printf '%s|' ${words.map(shellWord).join(' ')}`], {
    encoding: 'utf8',
  });
  expect(printed).toBe(words.map((word) => `${word}|`).join(''));
});
