import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, printable, printableLine } from './printable.ts';

describe('printable', () => {
  it('keeps lines and tabs and escapes what would move the cursor or colour the screen', () => {
    expect(printable('one\r\n\ttwo\u001b[31mred\u0007\u009b2J')).toBe('one\n\ttwo\\x1b[31mred\\x07\\x9b2J');
  });

  it('escapes characters that change the direction of the text after them', () => {
    expect(printable('a\u202eb\u2066c')).toBe('a\\u202eb\\u2066c');
  });

  it('makes one line of several', () => {
    expect(printableLine('  a\n\n b\tc \u001b]0;title\u0007 ')).toBe('a b c \\x1b]0;title\\x07');
  });

  it('never lets a control character through, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
        expect(printableLine(text)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe('jsonText', () => {
  it('is the same value, without raw control characters', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const written = jsonText({ value, text });
        expect(written).not.toMatch(/\p{Cc}/u);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify({ value, text })));
      }),
    );
  });
});
