import { z } from 'zod';
import { LOG_LEVELS, LOG_TYPES } from '../domain/task.ts';
import { defineOperation, READ } from './operation.ts';
import { agentName, page, pageSize, pagingShape } from './inputs.ts';

export const showAgentLog = defineOperation({
  name: 'show_agent_log',
  title: 'Show the log',
  description: "Show an agent's log, newest first: one entry, or page_size of them (up to 100).",
  input: z.strictObject({
    agent_name: agentName,
    page: page.default(1),
    page_size: pageSize.default(1),
    // The list of tools is short of room: the limits are not in its schema.
    search: z
      .string()
      .refine((text) => text !== '', 'must not be empty')
      .refine((text) => text.length <= 1_000, 'must have at most 1000 characters')
      .refine((text) => !text.includes('\0'), 'must not have NUL characters')
      .optional()
      .describe('Only entries with this text'),
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
