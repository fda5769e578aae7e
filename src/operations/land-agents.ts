import { z } from 'zod';
import { agentNames } from './inputs.ts';
import { landOptions } from './land-options.ts';
import { namesOf } from './names-of.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const landAgents = defineOperation({
  name: 'land_agents',
  title: 'Land the work of agents',
  description:
    'Merge the commits of agents into a branch of their project, in order, each checked on top of the one before. An agent that fails is left out, and the rest land.',
  input: z.strictObject({
    agent_names: agentNames.describe(
      'In the order in which they land: a list of names, or names separated by commas',
    ),
    ...landOptions,
  }),
  output: z.object({
    results: z.array(
      z.object({
        agent_name: z.string(),
        state: z.enum(['landed', 'failed', 'running']),
        reason: z.string().nullable(),
        message: z.string(),
        land_id: z.string(),
        after: z.string().nullable(),
      }),
    ),
    message: z.string(),
  }),
  scopes: ['operate'],
  hints: CHANGE,
  not_for_agents: true,
  route: { method: 'POST', path: '/land' },
  goes_on: ({ results }) => results.some(({ state }) => state === 'running'),
  handle: async ({ fleet, ...rest }, { agent_names, ...options }) => {
    const results = await fleet.landAgents({ ...options, agent_names: namesOf(agent_names) }, rest);
    const count = (state: string): number => results.filter((each) => each.state === state).length;
    const parts = [
      `${count('landed')} landed`,
      ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
      ...(count('running') > 0 ? [`${count('running')} still running`] : []),
    ];
    return {
      results: results.map(({ agent_name, state, land_id, after, message, error }) => ({
        agent_name,
        state,
        reason: error === null ? null : (error.details.reason ?? error.code),
        message: error?.message ?? message,
        land_id,
        after,
      })),
      message: parts.join(', '),
    };
  },
});
