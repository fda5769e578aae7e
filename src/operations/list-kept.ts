import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';

export const listKept = defineOperation({
  name: 'list_kept',
  title: 'List what is kept of deleted agents',
  description:
    'List what is kept of deleted agents, newest first: their workspaces in the archive, and branches with their work. restore_agent brings one back.',
  input: z.strictObject({}),
  output: z.object({
    kept: z.array(
      z.object({
        workspace_id: z.uuid(),
        agent_name: z.string(),
        project: z.string().nullable(),
        deleted_at: z.iso.datetime(),
        branch: z
          .string()
          .nullable()
          .describe('The branch with work that was nowhere else; null when there was none'),
        bytes: z
          .int()
          .nullable()
          .describe('Size of its archive; null when only the branch is left, and it cannot be restored'),
      }),
    ),
    total_count: z.int(),
    problems: z.array(z.string()).optional().describe('What could not be read'),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/kept' },
  on_request: true,
  handle: async ({ fleet }) => {
    const { kept, problems } = await fleet.listKept();
    return {
      kept: [...kept],
      total_count: kept.length,
      ...(problems.length === 0 ? {} : { problems: [...problems] }),
    };
  },
});
