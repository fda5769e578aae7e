import { z } from 'zod';
import { APPROVAL_KINDS, DECISIONS } from '../domain/approval.ts';
import { agentName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

const time = z.iso.datetime();

export const listApprovals = defineOperation({
  name: 'list_approvals',
  title: 'List open questions',
  description:
    'List what waits for the word of a person: permissions that agents ask for, their questions, and calls of tools that need an approval. Oldest first.',
  input: z.strictObject({ agent_name: agentName.optional() }),
  output: z.object({
    approvals: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(APPROVAL_KINDS),
        agent_name: z.string().nullable(),
        tool: z.string().describe('What wants to be used'),
        input: z.unknown().describe('All that it would be used with, or what is asked'),
        options: z.array(z.object({ id: z.string(), name: z.string(), decision: z.enum(DECISIONS) })),
        asked_at: time,
        expires_at: time.nullable().describe('Denied when nobody has answered by then'),
        asked_by: z.string(),
      }),
    ),
    total_count: z.int(),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/approvals' },
  handle: async ({ fleet }, { agent_name }) => {
    const approvals = await fleet.approvals.list(agent_name);
    return {
      approvals: approvals.map((approval) => ({ ...approval, options: [...approval.options] })),
      total_count: approvals.length,
    };
  },
});
