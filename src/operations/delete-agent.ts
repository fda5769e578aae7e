import { z } from 'zod';
import { defineOperation, DESTROY } from './operation.ts';
import { agentName } from './inputs.ts';

export const deleteAgent = defineOperation({
  name: 'delete_agent',
  title: 'Delete an agent',
  description:
    'Delete an agent and its workspace, also while it is busy. Work that exists nowhere else is kept on a branch fleet-kept/<name>/<workspace id>, which the answer names.',
  input: z.strictObject({
    agent_name: agentName,
    discard_work: z.boolean().default(false).describe('Delete even work that could not be kept'),
  }),
  output: z.object({
    agent_name: z.string(),
    workspace_id: z.uuid(),
    message: z.string(),
    kept: z.string().nullable().describe('The branch on which work was kept; null when there was none'),
  }),
  scopes: ['operate'],
  hints: DESTROY,
  route: { method: 'DELETE', path: '/agents/{agent_name}' },
  handle: ({ fleet, caller, signal, progress }, input) =>
    fleet.deleteAgent(input, { caller, signal, progress }),
});
