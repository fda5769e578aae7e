import { z } from 'zod';
import { commentShape } from './comment-shape.ts';
import { agentName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const listReviewComments = defineOperation({
  name: 'list_review_comments',
  title: 'List review comments',
  description: "List the comments on an agent's work that have not been sent to it yet, oldest first.",
  input: z.strictObject({ agent_name: agentName }),
  output: z.object({ agent_name: z.string(), comments: z.array(commentShape), total_count: z.int() }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}/review-comments' },
  on_request: true,
  handle: async ({ fleet }, { agent_name }) => {
    const { name, comments } = await fleet.listReviewComments(agent_name);
    return { agent_name: name, comments, total_count: comments.length };
  },
});
