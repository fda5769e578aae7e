import { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import { defineOperation, READ } from './operation.ts';
import { shownAgentName } from './inputs.ts';

export const showAgent = defineOperation({
  name: 'show_agent',
  title: 'Show an agent',
  description: 'Show one agent in full: status and reason, task, spec, metadata, git and pull request.',
  input: z.strictObject({ agent_name: shownAgentName }),
  output: z.object({ agent: agentSchema }),
  scopes: ['read', 'self'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}' },
  handle: async ({ fleet }, { agent_name }) => ({ agent: await fleet.showAgent(agent_name) }),
});
