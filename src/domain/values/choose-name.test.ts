import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAgentName } from './agent-name.ts';
import { AGENT_NAMES } from './agent-names.ts';
import { chooseName } from './choose-name.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });

test('there are at least 400 distinct names, short, valid and in lower case', () => {
  expect(AGENT_NAMES.length).toBeGreaterThanOrEqual(400);
  expect(new Set(AGENT_NAMES).size).toBe(AGENT_NAMES.length);
  for (const name of AGENT_NAMES) {
    expect(name).toMatch(/^[a-z]{3,8}$/);
    expect(checkAgentName(name)).toBe(name);
  }
});

test('a chosen name is one of the list and free in any spelling while one is left', () => {
  const spelling = fc.constantFrom(...AGENT_NAMES).chain((name) => fc.constantFrom(name, name.toUpperCase()));
  fc.assert(
    fc.property(fc.uniqueArray(spelling, { maxLength: 100 }), chance, (names, random) => {
      const taken = new Set(names);
      const chosen = chooseName(taken, () => random);
      return AGENT_NAMES.includes(chosen) && !taken.has(chosen) && !taken.has(chosen.toUpperCase());
    }),
  );
});

test('the last free name is found', () => {
  fc.assert(
    fc.property(fc.constantFrom(...AGENT_NAMES), chance, (last, random) => {
      const taken = new Set(AGENT_NAMES.filter((name) => name !== last));
      return chooseName(taken, () => random) === last;
    }),
  );
});

test('when all are taken a number makes the name free and valid', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), chance, (more, random) => {
      const taken = new Set(AGENT_NAMES.map((name) => name.toUpperCase()));
      for (let count = 0; count <= more; count++) {
        const chosen = chooseName(taken, () => random);
        expect(chosen).toMatch(/^[a-z]{3,8}-[1-9][0-9]*$/);
        expect(checkAgentName(chosen)).toBe(chosen);
        expect(taken).not.toContain(chosen);
        taken.add(chosen);
      }
    }),
    { numRuns: 10 },
  );
});

test('a fleet that has used up the usual numbers still gets a name', () => {
  const taken = new Set(
    AGENT_NAMES.flatMap((name) => [name, ...range(2, 130).map((number) => `${name}-${number}`)]),
  );
  const chosen = chooseName(taken);
  expect(taken).not.toContain(chosen);
  expect(checkAgentName(chosen)).toBe(chosen);
});

test('choosers that know nothing of each other spread over the list', () => {
  const chosen = range(1, 1000).map(() => chooseName(new Set()));
  expect(new Set(chosen).size).toBeGreaterThan(AGENT_NAMES.length / 3);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
