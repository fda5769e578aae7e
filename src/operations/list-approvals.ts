import { z } from 'zod';
import { APPROVAL_KINDS, DECISIONS } from '../domain/approvals/approval.ts';
import { agentName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

const time = z.iso.datetime();

export const listApprovals = defineOperation({
  name: 'list_approvals',
  title: 'List pending approvals',
  description:
    'List pending approvals: permissions that agents ask for, their questions, and tool calls that need an approval. Oldest first.',
  input: z.strictObject({ agent_name: agentName.optional() }),
  output: z.object({
    approvals: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(APPROVAL_KINDS),
        agent_name: z.string().nullable(),
        tool: z.string().describe('The tool or command that asks'),
        input: z.unknown().describe('Its whole input, or the question'),
        options: z.array(z.object({ id: z.string(), name: z.string(), decision: z.enum(DECISIONS) })),
        asked_at: time,
        expires_at: time.nullable().describe('Denied if it is not answered by then'),
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
