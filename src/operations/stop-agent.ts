import { z } from 'zod';
import { defineOperation, SET } from './operation.ts';
import { agentName } from './inputs.ts';
import { lifecycleOutput } from './restart-agent.ts';

export const stopAgent = defineOperation({
  name: 'stop_agent',
  title: 'Stop an agent',
  description:
    'Stop an agent without deleting it. A running task ends as interrupted; queued tasks stay queued; restart_agent brings it back.',
  input: z.strictObject({ agent_name: agentName }),
  output: lifecycleOutput,
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/agents/{agent_name}/stop' },
  handle: ({ fleet, caller }, { agent_name }) => fleet.stopAgent(agent_name, caller),
});
