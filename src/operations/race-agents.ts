import { z } from 'zod';
import { agentSchema } from '../domain/agent.ts';
import { agentNames, idempotencyKey, projectName, taskText } from './inputs.ts';
import { namesOf } from './names-of.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const raceAgents = defineOperation({
  name: 'race_agents',
  title: 'Race agents',
  description:
    'Give one task to several new agents on the same base. compare_agents ranks them; land the best, keep or delete the rest.',
  input: z.strictObject({
    project: projectName,
    task: taskText.optional().describe('The task; task or spec is needed'),
    spec: taskText.optional().describe('What all of them converge on'),
    count: z.int().min(2).max(10).describe('How many agents, 2 to 10'),
    roles: agentNames.optional().describe('Roles of the agents, in turn; default: the role of the project'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ agents: z.array(agentSchema), message: z.string() }),
  scopes: ['operate'],
  hints: CHANGE,
  route: { method: 'POST', path: '/race' },
  handle: async ({ fleet, caller, makeId }, { roles, ...input }) => {
    const agents = await fleet.raceAgents(
      { ...input, roles: roles === undefined ? [] : namesOf(roles) },
      { caller, makeId },
    );
    return { agents: [...agents], message: `Created ${agents.map(({ name }) => name).join(', ')}` };
  },
});
