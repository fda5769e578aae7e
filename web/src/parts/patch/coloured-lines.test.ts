import hljs from 'highlight.js/lib/core';
import typescript from 'highlight.js/lib/languages/typescript';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colouredLines } from './coloured-lines.ts';

hljs.registerLanguage('typescript', typescript);
const coloured = (code: string) =>
  colouredLines(hljs.highlight(code, { language: 'typescript', ignoreIllegals: true }).value);

const PIECES = [
  '<',
  '>',
  '&',
  '"',
  "'",
  '`',
  '/',
  '*',
  '$',
  '{',
  '}',
  '\n',
  ' ',
  'a',
  '1',
  ';',
  '</span>',
  '&amp;',
];

describe('colouredLines', () => {
  it('says what each piece is, also where it goes on in the next line', () => {
    const lines = coloured('const a = 1; // x\n/* one\ntwo */');
    expect(lines[0]).toContainEqual({ text: 'const', kind: 'keyword' });
    expect(lines[0]).toContainEqual({ text: '1', kind: 'number' });
    expect(lines.slice(1)).toEqual([
      [{ text: '/* one', kind: 'comment' }],
      [{ text: 'two */', kind: 'comment' }],
    ]);
  });

  it('loses and adds no character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...PIECES) }), (code) => {
        const text = coloured(code)
          .map((line) => line.map((token) => token.text).join(''))
          .join('\n');
        expect(text).toBe(code);
      }),
    );
  });
});
