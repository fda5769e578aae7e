import { z } from 'zod';
import { defineOperation, SET } from './operation.ts';
import { agentName } from './inputs.ts';

export const acknowledgeAgent = defineOperation({
  name: 'acknowledge_agent',
  title: 'Acknowledge an agent',
  description: 'Say that a human has seen what an agent needed attention for; needs_attention becomes false.',
  input: z.strictObject({ agent_name: agentName }),
  output: z.object({ agent_name: z.string(), message: z.string() }),
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/agents/{agent_name}/ack' },
  handle: ({ fleet, caller }, { agent_name }) => fleet.acknowledge(agent_name, caller),
});
