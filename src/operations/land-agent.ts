import { z } from 'zod';
import { agentName } from './inputs.ts';
import { headInput, landOptions } from './land-options.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const landAgent = defineOperation({
  name: 'land_agent',
  title: "Land an agent's work",
  description:
    "Merge an agent's commits into a branch of its project, by default its base. The checks run on the merged tree first; whatever fails changes nothing.",
  input: z.strictObject({ agent_name: agentName, head: headInput, ...landOptions }),
  output: z.object({
    land_id: z.string(),
    agent_name: z.string(),
    into: z.string().nullable(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    state: z.enum(['landed', 'running']),
    message: z.string(),
  }),
  scopes: ['operate'],
  hints: CHANGE,
  not_for_agents: true,
  route: { method: 'POST', path: '/agents/{agent_name}/land' },
  on_request: true,
  goes_on: ({ state }) => state === 'running',
  handle: async ({ fleet, ...rest }, { agent_name, ...options }) => {
    const landed = await fleet.landAgent({ ...options, agent_names: [agent_name] }, rest);
    const { land_id, into, before, after, message, state } = landed;
    return {
      land_id,
      agent_name: landed.agent_name,
      into,
      before,
      after,
      state: state === 'running' ? ('running' as const) : ('landed' as const),
      message,
    };
  },
});
