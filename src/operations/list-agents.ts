import { z } from 'zod';
import { agentListSchema } from '../domain/agent.ts';
import { PULL_REQUEST_STATUSES } from '../domain/metadata/pull-request.ts';
import { AGENT_STATUSES } from '../domain/status.ts';
import { defineOperation, READ } from './operation.ts';
import { page, pageSize } from './inputs.ts';

const NUMBER_OR_STATUS = new RegExp(`^(#?\\d{1,10}|${PULL_REQUEST_STATUSES.join('|')})$`);
const NOT_A_FILTER = `must be the number of a pull request, or one of ${PULL_REQUEST_STATUSES.join(', ')}`;

export const listAgents = defineOperation({
  name: 'list_agents',
  title: 'List agents',
  description:
    'List the agents of the fleet with their status, current task and whether they need a human. Filter by status, project or pull request.',
  input: z.strictObject({
    status_filter: z.enum(AGENT_STATUSES).optional().describe('Only agents with this status'),
    project_filter: z.string().min(1).max(200).optional().describe('Only agents of this project'),
    pull_request_filter: z
      .union([z.int().min(1), z.string().regex(NUMBER_OR_STATUS, NOT_A_FILTER)], NOT_A_FILTER)
      .optional()
      .describe('Only agents whose pull request has this number or status (open, draft, merged, closed)'),
    page: page.optional(),
    page_size: pageSize.optional(),
  }),
  output: z.object({
    agents: z.array(agentListSchema),
    total_count: z.int(),
    unavailable: z.array(z.object({ backend: z.string(), message: z.string() })).optional(),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/agents' },
  handle: ({ fleet }, input) => fleet.listAgents(input),
});
