import { z } from 'zod';
import { AGENT_STATUSES } from '../domain/status.ts';
import { TASK_STATES, WHEN_BUSY } from '../domain/task.ts';
import { CHANGE, defineOperation } from './operation.ts';
import { agentName, idempotencyKey, taskText } from './inputs.ts';

export const taskSchema = z.object({
  id: z.string(),
  message: z.string(),
  created_at: z.iso.datetime(),
  state: z.enum(TASK_STATES),
});

export const startAgentTask = defineOperation({
  name: 'start_agent_task',
  title: 'Give an agent a task',
  description:
    'Give an idle agent a task. A busy one refuses (CONFLICT) unless when_busy says to queue the task or to interrupt the running one.',
  input: z.strictObject({
    agent_name: agentName,
    task_description: taskText.describe('What to do'),
    when_busy: z.enum(WHEN_BUSY).optional().describe('reject (default), queue, or interrupt'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({
    agent_name: z.string(),
    task: taskSchema,
    agent_status: z.enum(AGENT_STATUSES),
    message: z.string(),
  }),
  scopes: ['operate', 'self'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/tasks' },
  handle: ({ fleet, caller, makeId }, input) => fleet.startTask(input, { caller, makeId }),
});
