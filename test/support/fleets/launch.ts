import type { Launch } from '../../../src/domain/launch.ts';

/** An agent that asks before it runs commands. */
export const LAUNCH: Launch = {
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
  stuck_after_ms: 300_000,
  sleep_after_ms: 3_600_000,
};
