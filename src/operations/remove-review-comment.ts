import { z } from 'zod';
import { agentName } from './inputs.ts';
import { defineOperation, SET } from './operation.ts';

export const removeReviewComment = defineOperation({
  name: 'remove_review_comment',
  title: 'Remove a review comment',
  description: 'Remove a comment from the draft of a review.',
  input: z.strictObject({
    agent_name: agentName,
    id: z.string().min(1).max(200).describe('As list_review_comments shows it'),
  }),
  output: z.object({ agent_name: z.string(), id: z.string() }),
  scopes: ['operate'],
  hints: SET,
  route: { method: 'DELETE', path: '/agents/{agent_name}/review-comments/{id}' },
  on_request: true,
  handle: async ({ fleet }, { agent_name, id }) => fleet.removeReviewComment(agent_name, id),
});
