import { z } from 'zod';
import { CHECK_STATES } from '../domain/review/checks.ts';
import { agentNames } from './inputs.ts';
import { namesOf } from './names-of.ts';
import { defineOperation, READ } from './operation.ts';

export const compareAgents = defineOperation({
  name: 'compare_agents',
  title: 'Compare agents',
  description:
    'Rank agents that work on the same task: by their checks, then the size of the change, time and cost.',
  input: z.strictObject({ agent_names: agentNames }),
  output: z.object({
    ranking: z.array(
      z.object({
        agent_name: z.string(),
        checks: z.enum(CHECK_STATES).nullable(),
        files: z.int(),
        insertions: z.int(),
        deletions: z.int(),
        took_ms: z.int(),
        cost: z.number().nullable(),
      }),
    ),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/compare' },
  handle: async ({ fleet }, { agent_names }) => ({
    ranking: [...(await fleet.compareAgents(namesOf(agent_names)))],
  }),
});
