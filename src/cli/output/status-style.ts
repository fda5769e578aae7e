import type { AgentListView } from '../../domain/agent.ts';
import type { Paint } from './output.ts';

/** An idle agent that needs a person, or whose last task failed, is not green: its work is not done. */
export function paintStatus(
  agent: Pick<AgentListView, 'status' | 'last_task_state' | 'needs_attention'>,
  text: string,
  paint: Paint,
): string {
  switch (agent.status) {
    case 'busy':
      return paint('cyan', text);
    case 'idle':
      return paint(agent.needs_attention || agent.last_task_state === 'failed' ? 'red' : 'green', text);
    case 'failed':
      return paint('red', text);
    case 'pending':
    case 'starting':
    case 'stopping':
    case 'canceling':
    case 'deleting':
      return paint('yellow', text);
    case 'stopped':
    case 'canceled':
    case 'deleted':
      return paint('dim', text);
  }
}
