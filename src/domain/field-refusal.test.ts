import { expect, it } from 'vitest';
import { LAUNCH } from '../../test/support/fleets/launch.ts';
import { fieldRefusal } from './field-refusal.ts';

it('follows from what the agent may run, unless the role says otherwise', () => {
  expect(fieldRefusal(LAUNCH)).toMatch(/asks before it runs commands.*metadata: true/);
  expect(fieldRefusal({ ...LAUNCH, metadata: true })).toBeUndefined();
  expect(fieldRefusal({ ...LAUNCH, agent: 'command' })).toBeUndefined();
  expect(fieldRefusal({ ...LAUNCH, agent: 'command', metadata: false })).toBe(
    'the role coder has metadata: false',
  );
});
