import { z } from 'zod';
import { TASK_STATES } from '../domain/task.ts';
import { defineOperation, READ } from './operation.ts';
import { agentName, page, pageSize, pagingShape } from './inputs.ts';

export const showAgentTaskHistory = defineOperation({
  name: 'show_agent_task_history',
  title: 'Show task history',
  description: "Show an agent's tasks and reports, newest first, in pages.",
  input: z.strictObject({ agent_name: agentName, page: page.default(1), page_size: pageSize.default(20) }),
  output: z.object({
    agent_name: z.string(),
    tasks: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['task', 'report']),
        message: z.string(),
        uri: z.string().nullable(),
        needs_user_attention: z.boolean(),
        created_at: z.iso.datetime(),
        state: z.enum(TASK_STATES),
        source: z.enum(['human', 'ai', 'agent']),
        started_at: z.iso.datetime().nullable().describe('When it left the queue'),
        finished_at: z.iso.datetime().nullable(),
        result: z
          .string()
          .nullable()
          .describe(
            'What the agent said or printed last, at most 4 KiB; for a task that did not complete, why',
          ),
        tokens: z.number().nullable().describe('Tokens used, if the agent reports them'),
        cost: z.number().nullable().describe('US dollars'),
      }),
    ),
    ...pagingShape,
  }),
  scopes: ['read', 'self'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}/tasks' },
  handle: async ({ fleet }, { agent_name, ...at }) => {
    const { name, rows, ...paging } = await fleet.history(agent_name, at);
    return { agent_name: name, tasks: [...rows], ...paging };
  },
});
