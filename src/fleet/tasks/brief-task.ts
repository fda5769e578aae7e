import type { HistoryRow } from '../../domain/task.ts';

export function briefTask({ id, message, created_at, state }: HistoryRow) {
  return { id, message, created_at, state };
}
