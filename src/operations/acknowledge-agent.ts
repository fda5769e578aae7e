import { z } from 'zod';
import { defineOperation, SET } from './operation.ts';
import { agentName } from './inputs.ts';

export const acknowledgeAgent = defineOperation({
  name: 'acknowledge_agent',
  title: 'Acknowledge an agent',
  description: 'Mark the alert of an agent as seen by a human; needs_attention becomes false.',
  input: z.strictObject({ agent_name: agentName }),
  output: z.object({ agent_name: z.string(), message: z.string() }),
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/agents/{agent_name}/ack' },
  handle: ({ fleet, caller }, { agent_name }) => fleet.acknowledge(agent_name, caller),
});
