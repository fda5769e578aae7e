import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { LineSplitter } from './lines.ts';

const texts = fc.string({ unit: anyCharacter, maxLength: 200 });

describe('lines of a stream', () => {
  it('are the same however the bytes come in, characters of many bytes too', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (text, sizes) => {
        const bytes = Buffer.from(text);
        const pieces: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(linesOf(pieces)).toEqual(expected(text));
      }),
    );
  });

  it('without an end come in pieces, and nothing is lost', () => {
    const said = linesOf(
      Array.from({ length: 10 }, () => Buffer.from('0123456789')),
      25,
    );
    expect(said.length).toBeGreaterThan(1);
    expect(said.join('')).toBe('0123456789'.repeat(10));
  });
});

function expected(text: string): string[] {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  return [...lines.map((line) => line.replace(/\r$/, '')), ...(rest === '' ? [] : [rest])];
}

function linesOf(pieces: readonly Buffer[], limit?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), limit);
  for (const piece of pieces) splitter.write(piece);
  splitter.end();
  return lines;
}
