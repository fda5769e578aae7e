import { z } from 'zod';
import { agentName, idempotencyKey } from './inputs.ts';
import { defineOperation, SET } from './operation.ts';

export const updateAgent = defineOperation({
  name: 'update_agent',
  title: "Update an agent's branch",
  description:
    "Bring newer commits of the base into an idle agent's branch, in its own repository. A conflict changes nothing and names the files.",
  input: z.strictObject({
    agent_name: agentName,
    strategy: z.enum(['merge', 'rebase']).default('merge').describe('merge (default) or rebase'),
    assign_to_agent: z.boolean().default(false).describe('A conflict becomes the next task of the agent'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agent_name: z.string(), head: z.string(), message: z.string() }),
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/agents/{agent_name}/update' },
  handle: async ({ fleet, caller, makeId }, input) => {
    const { name, head, message } = await fleet.updateAgent(input, { caller, makeId });
    return { agent_name: name, head, message };
  },
});
