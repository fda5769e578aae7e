import { describe, expect, it } from 'vitest';
import { displayWidth } from './display-width.ts';
import { fields, table } from './table.ts';

const columns = [
  { header: 'NAME', value: (row: { name: string; task: string }) => row.name },
  { header: 'TASK', value: (row: { name: string; task: string }) => row.task },
];

describe('table', () => {
  it('aligns its columns and ends no line with spaces', () => {
    const rows = [
      { name: 'sony', task: 'write tests' },
      { name: 'a', task: '' },
    ];
    expect(table(rows, columns)).toBe('NAME  TASK\nsony  write tests\na\n');
  });

  it('counts wide characters as two columns', () => {
    const rows = [
      { name: '漢字', task: 'x' },
      { name: 'abcd', task: 'y' },
    ];
    expect(table(rows, columns)).toBe('NAME  TASK\n漢字  x\nabcd  y\n');
    expect(displayWidth('é')).toBe(1);
  });

  it('cuts the last column to the screen', () => {
    const text = table([{ name: 'sony', task: 'x'.repeat(100) }], columns, { columns: 30 });
    expect(text.split('\n')[1]).toBe(`sony  ${'x'.repeat(23)}…`);
  });

  it('prints no control character of a cell', () => {
    expect(table([{ name: 'a\u001b[2J', task: 'b\nc' }], columns)).toContain('a\\x1b[2J  b c');
  });
});

describe('fields', () => {
  it('breaks a long value between words, and never inside of one', () => {
    const link = `https://example.com/${'x'.repeat(40)}`;
    const value = `${'word '.repeat(8)}\u001b[31mred\u001b[0m ${link}`;
    expect(fields([['spec', value]], { columns: 40 }).split('\n')).toEqual([
      'spec  word word word word word word word',
      '      word \u001b[31mred\u001b[0m',
      `      ${link}`,
      '',
    ]);
  });

  it('indents the further lines of a value', () => {
    expect(
      fields([
        ['name', 'sony'],
        ['spec', 'one\ntwo'],
      ]),
    ).toBe('name  sony\nspec  one\n      two\n');
  });
});
