import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldValue } from './field-value.ts';

it('keeps the type of what is JSON, and all else as text', () => {
  for (const [output, value] of [
    ['810\n', 810],
    ['"810"', '810'],
    ['open', 'open'],
    [' true ', true],
    ['null', null],
    ['[1, "a"]', [1, 'a']],
    ['{"a": 1.5}', { a: 1.5 }],
    ['{broken', '{broken'],
    ['', null],
    [' \n\t ', null],
    ["it's 'fine'", "it's 'fine'"],
  ] as const)
    expect(fieldValue(output)).toEqual({ value, error: null });
});

it('leaves a number that would not come back as it was printed a text', () => {
  for (const text of ['12345678901234567890', '1e999', '-9007199254740993'])
    expect(fieldValue(text)).toEqual({ value: text, error: null });
});

it('cuts what is over 4 KiB between two characters, and says so [MD-size-limits]', () => {
  const { value, error } = fieldValue('ä'.repeat(3000));
  expect(value).toBe('ä'.repeat(2048));
  expect(error).toContain('4096');
  expect(fieldValue(`a${'ä'.repeat(3000)}`).value).toBe(`a${'ä'.repeat(2047)}`);
  expect(fieldValue('v'.repeat(4096))).toEqual({ value: 'v'.repeat(4096), error: null });
});

it('gives back any JSON value that was printed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(text.length < 1000 && (typeof value !== 'number' || Number.isSafeInteger(value)));
      expect(fieldValue(text).value).toEqual(JSON.parse(text));
    }),
  );
});
