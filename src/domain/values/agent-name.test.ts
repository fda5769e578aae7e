import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { byName, checkAgentName, nameKey } from './agent-name.ts';
import { FleetError } from './errors.ts';

const word = fc.string({ unit: fc.constantFrom(...'abcXYZ0189'.split('')), minLength: 1, maxLength: 12 });
const hyphenated = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('-'));

describe('the name of an agent', () => {
  it('is words of letters and digits with single hyphens between them, up to 32 characters', () => {
    fc.assert(
      fc.property(hyphenated, (name) => {
        fc.pre(!['new', 'create'].includes(name.toLowerCase()));
        if (name.length <= 32) expect(checkAgentName(name)).toBe(name);
        else expect(codeOf(name)).toBe('INVALID_INPUT');
      }),
    );
    expect(checkAgentName('x'.repeat(32))).toHaveLength(32);
    expect(codeOf('x'.repeat(33))).toBe('INVALID_INPUT');
  });

  it('is nothing else, and the error quotes it and says what to use', () => {
    const odd = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      hyphenated.chain((name) =>
        fc.constantFrom(
          `-${name}`,
          `${name}-`,
          `${name}--b`,
          `${name} b`,
          `${name}_b`,
          `${name}\n`,
          `ä${name}`,
        ),
      ),
    );
    fc.assert(
      fc.property(odd, (name) => {
        fc.pre(!/^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/.test(name) || name.endsWith('\n') || name.length > 32);
        expect(codeOf(name)).toBe('INVALID_INPUT');
      }),
    );
    expect(() => checkAgentName('no good')).toThrow(/"no good".*letters and digits/);
    expect(errorOf('no good')?.details).toEqual({ field: 'name' });
  });

  it('is not new or create, in any spelling', () => {
    for (const name of ['new', 'New', 'NEW', 'create', 'CREATE', 'cReAtE'])
      expect(codeOf(name)).toBe('INVALID_INPUT');
    expect(checkAgentName('news')).toBe('news');
    expect(checkAgentName('create-1')).toBe('create-1');
  });

  it.each([
    ['', 'The agent name "" is empty. Use 1 to 32 letters'],
    ['x'.repeat(33), 'has 33 characters. Use'],
    ['a b', 'has characters that a name cannot have. Use'],
    ['new', 'is a reserved word. Use'],
  ])('that is refused, %o, is refused for a reason', (name, message) => {
    expect(errorOf(name)?.message).toContain(message);
  });

  it('sorts a list whatever its case', () => {
    const names = ['b', 'A', 'c', 'B2'].map((name) => ({ name }));
    expect(names.toSorted(byName).map(({ name }) => name)).toEqual(['A', 'b', 'B2', 'c']);
  });

  it('is the same name in upper and lower case', () => {
    fc.assert(
      fc.property(hyphenated, (name) => {
        expect(nameKey(name.toUpperCase())).toBe(nameKey(name.toLowerCase()));
      }),
    );
    expect(nameKey('data-one')).not.toBe(nameKey('dataone'));
  });
});

function errorOf(name: string): FleetError | undefined {
  try {
    checkAgentName(name);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof FleetError) return thrown;
    throw thrown;
  }
}

function codeOf(name: string): string | undefined {
  return errorOf(name)?.code;
}
