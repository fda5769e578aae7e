import { z } from 'zod';
import { DECISIONS } from '../domain/approvals/approval.ts';
import { TASK_TEXT_LIMIT } from '../domain/task.ts';
import { actorOf } from '../domain/principal.ts';
import { CHANGE, defineOperation } from './operation.ts';

const text = z.string().min(1).max(TASK_TEXT_LIMIT);

export const respondApproval = defineOperation({
  name: 'respond_approval',
  title: 'Answer a pending approval',
  description:
    'Allow or deny a pending approval. The first answer counts. The caller that asked cannot answer, and agents cannot answer at all.',
  input: z.strictObject({
    id: z.string().min(1).max(100).describe('Id of the approval, as list_approvals shows it'),
    decision: z.enum(DECISIONS),
    option: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Id of one of its options (default: the first one that means the decision; a question has no default)',
      ),
    answer: text
      .optional()
      .describe(
        'The answer to a question: text, a number, or yes or no, as its form says; a JSON object for a form with several fields',
      ),
    note: text.optional().describe('A reason; the agent gets it'),
  }),
  output: z.object({ id: z.string(), decision: z.enum(DECISIONS), answered_by: z.string() }),
  scopes: ['approve'],
  hints: CHANGE,
  route: { method: 'POST', path: '/approvals/{id}' },
  handle: async ({ fleet, caller }, { id, decision, option, answer, note }) => {
    await fleet.approvals.respond(
      id,
      { decision, option: option ?? null, answer: answer ?? null, note: note ?? null },
      caller,
    );
    return { id, decision, answered_by: actorOf(caller).principal };
  },
});
