import { z } from 'zod';
import { DECISIONS } from '../domain/approval.ts';
import { TASK_TEXT_LIMIT } from '../domain/task.ts';
import { actorOf } from '../domain/principal.ts';
import { CHANGE, defineOperation } from './operation.ts';

const text = z.string().min(1).max(TASK_TEXT_LIMIT);

export const respondApproval = defineOperation({
  name: 'respond_approval',
  title: 'Answer an open question',
  description:
    'Allow or deny what list_approvals shows. The first answer stands. Whoever asked cannot answer, and agents cannot answer anything.',
  input: z.strictObject({
    id: z.string().min(1).max(100).describe('As list_approvals shows it'),
    decision: z.enum(DECISIONS),
    option: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Id of one of its options; without it the first one that means the decision'),
    answer: text.optional().describe('What is answered, for a question'),
    note: text.optional().describe('Why: the agent is told'),
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
