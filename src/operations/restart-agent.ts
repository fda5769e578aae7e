import { z } from 'zod';
import { AGENT_STATUSES } from '../domain/status.ts';
import { CHANGE, defineOperation } from './operation.ts';
import { agentName } from './inputs.ts';

export const lifecycleOutput = z.object({
  agent_name: z.string(),
  workspace_id: z.uuid(),
  status: z.enum(AGENT_STATUSES),
  message: z.string(),
});

export const restartAgent = defineOperation({
  name: 'restart_agent',
  title: 'Restart an agent',
  description:
    'Restart an agent from any state, with a fresh environment. A running task ends as interrupted; queued tasks stay queued.',
  input: z.strictObject({ agent_name: agentName }),
  output: lifecycleOutput,
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/restart' },
  handle: ({ fleet, caller }, { agent_name }) => fleet.restartAgent(agent_name, caller),
});
