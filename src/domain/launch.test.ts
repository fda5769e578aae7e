import { expect, it } from 'vitest';
import { givenSpec } from './launch.ts';

it('an agent gets its spec, but not the first task that stands for one', () => {
  expect(givenSpec({ spec: 'a spec', spec_given: true })).toBe('a spec');
  expect(givenSpec({ spec: 'a spec' })).toBe('a spec');
  expect(givenSpec({ spec: 'the first task', spec_given: false })).toBe('');
});
