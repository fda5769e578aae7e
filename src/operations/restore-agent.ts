import { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import { agentName, idempotencyKey, workspaceId } from './inputs.ts';
import { defineOperation, SET } from './operation.ts';

export const restoreAgent = defineOperation({
  name: 'restore_agent',
  title: 'Restore a deleted agent',
  description:
    'Bring a deleted agent back with its workspace, history and session. It is stopped; restart_agent starts it.',
  input: z.strictObject({
    workspace_id: workspaceId.describe('As list_kept shows it'),
    name: agentName.optional().describe('A new name; default: the one that it had'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agent: agentSchema, message: z.string() }),
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/kept/{workspace_id}/restore' },
  on_request: true,
  handle: async ({ fleet, caller }, input) => {
    const agent = await fleet.restoreAgent(input, caller);
    return {
      agent,
      message: `Agent '${agent.name}' is restored and ${agent.status}; restart_agent starts it`,
    };
  },
});
