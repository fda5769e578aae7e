import { z } from 'zod';
import { LOG_LEVELS, LOG_TYPES } from '../domain/task.ts';
import { defineOperation, READ } from './operation.ts';
import { agentName, page, pageSize, pagingShape } from './inputs.ts';

export const showAgentLog = defineOperation({
  name: 'show_agent_log',
  title: 'Show the log',
  description: "Show an agent's log, newest first: one entry, or page_size.",
  input: z.strictObject({
    agent_name: agentName,
    page: page.default(1),
    page_size: pageSize.default(1),
    search: z
      .string()
      .regex(/^[^\0]{1,1000}$/, 'must have 1 to 1000 characters, none of them NUL')
      .optional()
      .describe('Entries with this text'),
  }),
  output: z.object({
    agent_name: z.string(),
    logs: z.array(
      z.object({
        id: z.int(),
        timestamp: z.iso.datetime(),
        message: z.string(),
        level: z.enum(LOG_LEVELS),
        type: z.enum(LOG_TYPES),
      }),
    ),
    ...pagingShape,
  }),
  scopes: ['read', 'self'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}/log' },
  handle: async ({ fleet }, { agent_name, ...at }) => {
    const { name, rows, ...paging } = await fleet.log(agent_name, at);
    return { agent_name: name, logs: [...rows], ...paging };
  },
});
