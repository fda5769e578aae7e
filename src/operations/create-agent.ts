import { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import { CHANGE, defineOperation } from './operation.ts';
import { agentName, idempotencyKey, projectName, taskText, webAddress } from './inputs.ts';

export const createAgent = defineOperation({
  name: 'create_agent',
  title: 'Create an agent',
  description:
    'Create an agent in a workspace of its own and give it its first task. It starts at once; follow it with wait_for_agents or show_agent. Without a name a short memorable one is chosen.',
  input: z.strictObject({
    project: projectName,
    task: taskText.optional().describe('The first task; default: the spec. Give a task, a spec, or both'),
    name: agentName.optional().describe('Short name, unique in the fleet (for example sony, papi)'),
    role: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Role, see list_agent_roles; default: the project's"),
    spec: taskText
      .optional()
      .describe(
        'What all its tasks converge on: text, or YAML/JSON with objective, context, constraints, deliverables, checks',
      ),
    base: z.string().min(1).max(255).optional().describe('Branch, tag or commit that its branch starts from'),
    branch: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('An existing branch to start from, also one that only a remote has'),
    pull_request_url: webAddress
      .optional()
      .describe('Pull request of this work; without branch and base, the work starts from its head'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agent: agentSchema, message: z.string() }),
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents' },
  handle: async ({ fleet, caller, makeId }, input) => {
    const agent = await fleet.createAgent(input, { caller, makeId });
    return { agent, message: `Agent '${agent.name}' created successfully` };
  },
});
