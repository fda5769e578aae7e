import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';

export const listAgentProjects = defineOperation({
  name: 'list_agent_projects',
  title: 'List projects',
  description: 'List the projects that agents can be created for.',
  input: z.strictObject({}),
  output: z.object({
    projects: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        display_name: z.string(),
        description: z.string(),
        template_id: z.string(),
        template_name: z.string(),
        backend: z.string(),
      }),
    ),
    total_count: z.int(),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/projects' },
  handle: async ({ fleet }) => {
    const projects = await fleet.listProjects();
    return {
      projects: projects.map(
        ({ id, name, display_name, description, template_id, template_name, backend }) => ({
          id,
          name,
          display_name,
          description,
          template_id,
          template_name,
          backend,
        }),
      ),
      total_count: projects.length,
    };
  },
});
