import { z } from 'zod';
import { pullRequestSchema } from '../domain/agent.ts';
import { agentName } from './inputs.ts';
import { defineOperation, SET } from './operation.ts';

const names = z.array(z.string().min(1)).max(50, 'at most 50 names are allowed').default([]);

export const publishAgent = defineOperation({
  name: 'publish_agent',
  title: "Publish an agent's work",
  description:
    "Push the commits of an idle agent to its project's remote, and open its pull request or update it.",
  input: z.strictObject({
    agent_name: agentName,
    title: z.string().min(1).max(250).optional().describe('Default: from the results of its tasks'),
    body: z.string().max(60_000).optional().describe('Text; default as for title'),
    draft: z.boolean().default(false).describe('Open it as a draft'),
    reviewers: names.describe('Users of the forge'),
    labels: names.describe('Labels to add'),
    allow_workflows: z.boolean().default(false).describe('Also push changed CI workflows'),
  }),
  output: z.object({
    agent_name: z.string(),
    pushed: z.boolean().describe('False when the remote had the newest commit already'),
    pull_request: pullRequestSchema,
    message: z.string(),
  }),
  scopes: ['operate'],
  hints: SET,
  not_for_agents: true,
  route: { method: 'POST', path: '/agents/{agent_name}/publish' },
  handle: async ({ fleet, ...rest }, input) => {
    const { name, pushed, pull_request, message } = await fleet.publishAgent(input, rest);
    return { agent_name: name, pushed, pull_request, message };
  },
});
