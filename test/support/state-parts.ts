import type { Actor } from '../../src/domain/principal.ts';
import type { AgentState, RunningTask } from '../../src/domain/state.ts';

export const AT = '2027-01-01T00:00:00.000Z';
export const INSTANT = { at: Date.parse(AT), awake_ms: 5, boot: 'boot-1' };
export const TESTER: Actor = { principal: 'user:tester', door: 'cli' };
export const READY: Partial<AgentState> = { phase: 'ready', phase_reason: 'ready, no task' };
export const RUNNING: RunningTask = {
  id: 'task',
  message: 'the work',
  started_at: AT,
  started: INSTANT,
  cancel_requested: false,
  acknowledged: null,
  resumed: 0,
  trouble: null,
};
