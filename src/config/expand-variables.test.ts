import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandVariables } from './expand-variables.ts';

const ENV = { A: 'one', B: '${A}', EMPTY: '', _x1: 'low' };

test.for([
  ['plain $A {B} $', 'plain $A {B} $'],
  ['${A}', 'one'],
  ['<${A}${_x1}>', '<onelow>'],
  ['${B}', '${A}'],
  ['${EMPTY}', ''],
  ['${EMPTY:-else}', 'else'],
  ['${NO:-}', ''],
  ['${NO:-a b:-c}', 'a b:-c'],
  ['${A:-else}', 'one'],
  ['$${A}', '${A}'],
  ['$$${A}', '$${A}'],
  ['$${A}${A}', '${A}one'],
] as const)('%s becomes %s', ([text, expected]) => {
  expect(expandVariables(text, ENV)).toEqual({ text: expected, missing: [], malformed: undefined });
});

test('what is not set is named and stays', () => {
  expect(expandVariables('${NO}/${A}/${toString}', ENV)).toEqual({
    text: '${NO}/one/${toString}',
    missing: ['NO', 'toString'],
    malformed: undefined,
  });
});

test.for(['${}', '${1}', '${A-B}', '${ A }', '${A', '${${A}}'])('%s names no variable', (text) => {
  expect(expandVariables(text, ENV).malformed).toMatch(/^\$\{/);
});

test('text without a reference is left alone, and an escaped one is read back as it was', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const escaped = text.replaceAll('${', '$${');
      return text.includes('$${') || expandVariables(escaped, {}).text === text;
    }),
  );
});
