import { expect, it } from 'vitest';
import type { Launch } from './launch.ts';
import { mayRunCommands } from './may-run-commands.ts';

const LAUNCH: Launch = {
  name: 'sony',
  workspace_id: '00000000-0000-4000-8000-000000000000',
  project: 'Setup',
  role: 'coder',
  spec: 'spec',
  created_at: '2027-01-01T00:00:00.000Z',
  created_by: 'user:tester',
  agent: 'claude',
  command: [],
  system_prompt: null,
  model: null,
  env: {},
  on_crash: 'interrupt',
  stuck_after_ms: 1,
  sleep_after_ms: 1,
};

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
