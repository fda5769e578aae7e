import { z } from 'zod';
import { agentName, idempotencyKey, taskText } from './inputs.ts';
import { defineOperation, CHANGE } from './operation.ts';
import { startAgentTask } from './start-agent-task.ts';

export const sendReview = defineOperation({
  name: 'send_review',
  title: 'Send a review',
  description:
    "Send the comments on an agent's work, and a message, to the agent as one task. The draft is empty afterwards.",
  input: z.strictObject({
    agent_name: agentName,
    message: taskText.optional().describe('What you want to say about all of it'),
    when_busy: startAgentTask.input.shape.when_busy,
    idempotency_key: idempotencyKey,
  }),
  output: startAgentTask.output,
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/review' },
  handle: async ({ fleet, caller, makeId }, { ...input }) => fleet.sendReview(input, { caller, makeId }),
});
