import type { AgentState } from '../state.ts';

/** True for an agent that has a task, running or queued, or that starts. */
export function isWorking({
  running,
  queue,
  phase,
}: Pick<AgentState, 'running' | 'queue' | 'phase'>): boolean {
  return running !== null || queue.length > 0 || phase === 'pending' || phase === 'starting';
}
