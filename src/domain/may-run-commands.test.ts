import { expect, it } from 'vitest';
import { LAUNCH } from '../../test/support/fleets/launch.ts';
import { mayRunCommands } from './may-run-commands.ts';

it('is true for an agent that runs commands anyway, without being asked', () => {
  expect(mayRunCommands({ ...LAUNCH, agent: 'command' })).toBe(true);
  expect(mayRunCommands({ ...LAUNCH, trust_repository: true })).toBe(true);
  expect(mayRunCommands({ ...LAUNCH, mode: 'bypassPermissions' })).toBe(true);
  expect(mayRunCommands({ ...LAUNCH, permissions: [{ tool: '*', decision: 'allow' }] })).toBe(true);
  expect(mayRunCommands({ ...LAUNCH, permissions: [{ tool: 'Bash', decision: 'allow' }] })).toBe(true);
});

it('is false for one that asks before some of them', () => {
  expect(mayRunCommands(LAUNCH)).toBe(false);
  expect(mayRunCommands({ ...LAUNCH, mode: 'acceptEdits' })).toBe(false);
  expect(mayRunCommands({ ...LAUNCH, permissions: [{ tool: 'Edit', decision: 'allow' }] })).toBe(false);
  expect(
    mayRunCommands({ ...LAUNCH, permissions: [{ tool: 'Bash', command: 'npm test*', decision: 'allow' }] }),
  ).toBe(false);
  expect(
    mayRunCommands({
      ...LAUNCH,
      permissions: [
        { tool: 'Bash', command: 'git push*', decision: 'deny' },
        { tool: 'Bash', decision: 'allow' },
      ],
    }),
  ).toBe(false);
});
