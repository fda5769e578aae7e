import { z } from 'zod';
import { DIFF_STATUSES } from '../domain/diff/agent-diff.ts';
import { FleetError } from '../domain/values/errors.ts';
import { agentName, pathNames } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const showAgentDiff = defineOperation({
  name: 'show_agent_diff',
  title: 'Show what an agent changed',
  description:
    'Show what an agent changed since it left the base of its project, committed or not, or what one task changed. Files with counts by default; format patch has the lines.',
  input: z.strictObject({
    agent_name: agentName,
    task_id: z.string().min(1).max(200).optional().describe('Only the changes of this task'),
    since: z
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .describe('Only changes since this checkpoint; 0 is the start of the agent'),
    paths: pathNames.optional(),
    format: z
      .enum(['files', 'patch'])
      .default('files')
      .describe('files (default): names and counts; patch: the lines as well'),
    max_bytes: z.int().min(1_000).max(1_000_000).default(40_000).describe('Size of a page'),
    cursor: z.string().max(10_000).optional().describe('From the previous page'),
  }),
  output: z.object({
    agent_name: z.string(),
    branch: z.string().nullable().describe('The branch that is checked out; null when none is'),
    base: z.string().nullable().describe('The commit that it is compared with; null for a checkpoint'),
    head: z.string().nullable(),
    uncommitted: z.boolean().describe('Some of it is not committed'),
    files: z.array(
      z.object({
        path: z.string(),
        old_path: z.string().nullable(),
        status: z.enum(DIFF_STATUSES),
        mode: z.string(),
        insertions: z.int(),
        deletions: z.int(),
        binary: z.boolean(),
        uncommitted: z.boolean(),
        runs_elsewhere: z
          .boolean()
          .describe('Takes effect for others once it is merged (CI, hooks, settings)'),
        patch: z.string().optional(),
        patch_base64: z.string().optional().describe('The bytes of the patch, where they are not UTF-8'),
      }),
    ),
    total_files: z.int(),
    insertions: z.int(),
    deletions: z.int(),
    notes: z.array(z.string()).optional(),
    cursor: z.string().nullable(),
  }),
  scopes: ['read', 'self'],
  hints: READ,
  route: { method: 'GET', path: '/agents/{agent_name}/diff' },
  handle: async ({ fleet }, { agent_name, paths, ...request }) => {
    if (request.task_id !== undefined && request.since !== undefined)
      throw new FleetError('INVALID_INPUT', 'Give task_id or since, not both.', { field: 'since' });
    const { name, files, notes, ...diff } = await fleet.diff(agent_name, {
      ...request,
      paths: typeof paths === 'string' ? paths.split(',') : (paths ?? []),
    });
    return {
      agent_name: name,
      ...diff,
      files: [...files],
      ...(notes.length === 0 ? {} : { notes: [...notes] }),
    };
  },
});
