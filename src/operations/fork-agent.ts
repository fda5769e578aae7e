import { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import { agentName, idempotencyKey, taskText } from './inputs.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const forkAgent = defineOperation({
  name: 'fork_agent',
  title: 'Fork an agent',
  description:
    'Create a new agent from a checkpoint of another one, with its spec. The other agent stays as it is.',
  input: z.strictObject({
    agent_name: agentName.describe('The agent whose checkpoint it starts from'),
    checkpoint: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('Number of the checkpoint; default: the newest'),
    task: taskText.optional().describe('The first task; default: the spec of the other agent'),
    name: agentName.optional().describe('Name of the new agent; default: a free one is chosen'),
    role: z.string().min(1).max(200).optional().describe('Default: the role of the other agent'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agent: agentSchema, message: z.string() }),
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/fork' },
  handle: async ({ fleet, caller, makeId }, input) => {
    const agent = await fleet.forkAgent(input, { caller, makeId });
    return { agent, message: `Agent '${agent.name}' created from agent '${input.agent_name}'` };
  },
});
