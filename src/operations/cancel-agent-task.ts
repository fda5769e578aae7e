import { z } from 'zod';
import { AGENT_STATUSES } from '../domain/status.ts';
import { defineOperation } from './operation.ts';
import { agentName } from './inputs.ts';
import { taskSchema } from './start-agent-task.ts';

export const cancelAgentTask = defineOperation({
  name: 'cancel_agent_task',
  title: 'Cancel a task',
  description: "Cancel an agent's running task (queued tasks continue), or one queued task by its id.",
  input: z.strictObject({
    agent_name: agentName,
    task_id: z.string().min(1).max(100).optional().describe('A queued task; default: the running one'),
  }),
  output: z.object({
    agent_name: z.string(),
    message: z.string(),
    interrupt_sent: z.boolean(),
    task: taskSchema,
    agent_status: z.enum(AGENT_STATUSES),
  }),
  scopes: ['operate'],
  hints: { readOnly: false, destructive: true, idempotent: false },
  route: { method: 'POST', path: '/agents/{agent_name}/cancel' },
  handle: ({ fleet, caller }, input) => fleet.cancelTask(input, caller),
});
