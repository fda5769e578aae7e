import { z } from 'zod';
import { SIDES } from '../domain/review/review-comment.ts';
import { commentShape } from './comment-shape.ts';
import { agentName, idempotencyKey, taskText } from './inputs.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const addReviewComment = defineOperation({
  name: 'add_review_comment',
  title: 'Comment on a line',
  description: "Add a comment on a line of an agent's diff to the draft of a review. send_review sends it.",
  input: z.strictObject({
    agent_name: agentName,
    path: z.string().min(1).max(4_096).describe('File, as show_agent_diff lists it'),
    line: z.int().min(1).max(10_000_000),
    side: z.enum(SIDES).default('new').describe('new (default), or old for a line before the change'),
    snippet: z.string().max(2_000).optional().describe('The line as you saw it; default: as it is now'),
    text: taskText.describe('The comment'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agent_name: z.string(), comment: commentShape }),
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/review-comments' },
  on_request: true,
  handle: async ({ fleet, caller, makeId }, { ...input }) => ({
    agent_name: input.agent_name,
    comment: await fleet.addReviewComment(input, { caller, makeId }),
  }),
});
