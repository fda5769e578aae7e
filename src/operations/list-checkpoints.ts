import { z } from 'zod';
import { agentName, page, pageSize, pagingShape } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const listCheckpoints = defineOperation({
  name: 'list_checkpoints',
  title: 'List checkpoints',
  description:
    'List the checkpoints of an agent, newest first: the state of its files at the end of each task, uncommitted work included. fork_agent starts a new agent from one.',
  input: z.strictObject({ agent_name: agentName, page: page.default(1), page_size: pageSize.default(20) }),
  output: z.object({
    agent_name: z.string(),
    checkpoints: z.array(
      z.object({
        number: z.int(),
        task_id: z.string().nullable(),
        commit: z.string(),
        created_at: z.iso.datetime(),
        files: z.int().describe('Files that changed since the checkpoint before'),
        insertions: z.int(),
        deletions: z.int(),
        left_out: z.array(z.string()).describe('Files that were too large'),
      }),
    ),
    ...pagingShape,
  }),
  scopes: ['read', 'self'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}/checkpoints' },
  on_request: true,
  handle: async ({ fleet }, { agent_name, ...paging }) => {
    const { name, rows, ...rest } = await fleet.listCheckpoints(agent_name, paging);
    return {
      agent_name: name,
      checkpoints: rows.map((row) => ({ ...row, left_out: [...row.left_out] })),
      ...rest,
    };
  },
});
