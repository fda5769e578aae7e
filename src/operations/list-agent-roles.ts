import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';
import { projectName } from './inputs.ts';

export const listAgentRoles = defineOperation({
  name: 'list_agent_roles',
  title: 'List roles',
  description: 'List the roles that an agent of a project can have, with what each is for.',
  input: z.strictObject({ project: projectName }),
  output: z.object({
    project: z.string(),
    roles: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        display_name: z.string(),
        description: z.string(),
        project_id: z.string(),
        default: z.boolean(),
      }),
    ),
    total_count: z.int(),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/projects/{project}/roles' },
  handle: async ({ fleet }, input) => {
    const { project, roles } = await fleet.listRoles(input.project);
    return { project: project.name, roles: [...roles], total_count: roles.length };
  },
});
