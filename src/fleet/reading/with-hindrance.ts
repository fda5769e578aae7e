import { isOffline, type AgentStatus } from '../../domain/status.ts';
import type { HistoryRow } from '../../domain/task.ts';

interface Hindrance {
  readonly name: string;
  readonly status: AgentStatus;
  readonly status_reason: string;
}

/** A task that has not ended, with what keeps it from running when its agent is offline. */
export function withHindrance(row: HistoryRow, { name, status, status_reason }: Hindrance): HistoryRow {
  const waits = row.state === 'queued' ? isOffline(status) : row.state === 'running' && status === 'failed';
  if (!waits) return row;
  const isGoing = status === 'deleting' || status === 'deleted';
  const next = isGoing ? '' : ` To continue its tasks, run: fleet restart ${name}`;
  return { ...row, result: `the agent is ${status}: ${status_reason}.${next}` };
}
