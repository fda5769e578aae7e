import { z } from 'zod';
import { agentNames, projectName } from './inputs.ts';
import { namesOf } from './names-of.ts';
import { defineOperation, READ } from './operation.ts';

export const listConflicts = defineOperation({
  name: 'list_conflicts',
  title: 'List conflicts',
  description:
    'List the agents whose branches conflict with their base or with each other, with the files. Nothing is merged for it. left_out: agents without commits, and those whose repository is not on this machine.',
  input: z.strictObject({
    project: projectName.optional(),
    agent_names: agentNames.optional(),
  }),
  output: z.object({
    conflicts: z.array(
      z.object({
        agent: z.string(),
        other: z.string().nullable().describe('Null: the base of the project'),
        paths: z.array(z.string()),
      }),
    ),
    left_out: z.array(z.string()),
    as_of: z.iso.datetime(),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/conflicts' },
  handle: async ({ fleet }, { project, agent_names }) => {
    const { conflicts, left_out, as_of } = await fleet.listConflicts({
      project,
      agent_names: agent_names === undefined ? undefined : namesOf(agent_names),
    });
    return {
      conflicts: conflicts.map(({ agent, other, paths }) => ({ agent, other, paths: [...paths] })),
      left_out: [...left_out],
      as_of,
    };
  },
});
