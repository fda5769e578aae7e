import type { AgentStatus } from '../domain/status.ts';
import type { Paint } from './output.ts';

export function paintStatus(status: AgentStatus, text: string, paint: Paint): string {
  switch (status) {
    case 'busy':
      return paint('cyan', text);
    case 'idle':
      return paint('green', text);
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
