import { expect, it } from 'vitest';
import type { AgentStatus } from '../../domain/status.ts';
import type { HistoryRow } from '../../domain/task.ts';
import { withHindrance } from './with-hindrance.ts';

const RESTART = ' To continue its tasks, run: fleet restart sony';

it.each<[HistoryRow['state'], AgentStatus, string | null]>([
  ['queued', 'stopped', `the agent is stopped: because.${RESTART}`],
  ['queued', 'failed', `the agent is failed: because.${RESTART}`],
  ['queued', 'deleting', 'the agent is deleting: because.'],
  ['queued', 'deleted', 'the agent is deleted: because.'],
  ['queued', 'busy', null],
  ['queued', 'idle', null],
  ['running', 'failed', `the agent is failed: because.${RESTART}`],
  ['running', 'stopping', null],
  ['complete', 'failed', null],
  ['complete', 'stopped', null],
])('a task that is %s of an agent that is %s has the result %s', (state, status, result) => {
  const row = { id: 'task', state, result: null } as HistoryRow;
  expect(withHindrance(row, { name: 'sony', status, status_reason: 'because' })).toEqual({ ...row, result });
});
