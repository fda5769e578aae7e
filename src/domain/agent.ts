import { z } from 'zod';
import { CHECK_STATUSES, PULL_REQUEST_STATUSES } from './metadata/pull-request.ts';
import { CHECK_STATES } from './review/checks.ts';
import { AGENT_STATUSES } from './status.ts';
import { TASK_ENDS } from './task.ts';

const time = z.iso.datetime();

export const pullRequestSchema = z.object({
  url: z.string(),
  status: z.enum(PULL_REQUEST_STATUSES).nullable(),
  check_status: z.enum(CHECK_STATUSES).nullable(),
  error: z.string().nullable(),
});

export const gitFactsSchema = z.object({
  branch: z.string().nullable(),
  base: z.string().nullable(),
  ahead: z.int(),
  behind: z.int(),
  changed_files: z.int(),
  insertions: z.int(),
  deletions: z.int(),
  dirty: z.boolean(),
  last_commit: z.string().nullable(),
  remote: z.string().optional().describe('Where its branches are pushed to, when that is another host'),
  as_of: time.nullable().describe('When this was looked at'),
});

export type GitFacts = z.output<typeof gitFactsSchema>;

export const agentChecksSchema = z.object({
  commit: z.string().nullable().describe('The commit that they ran on; null before the first run'),
  state: z.enum(CHECK_STATES),
  failed: z.array(z.string()).describe('Names of the failing checks'),
});

/** What a look at a workspace gives. */
export type WorkspaceGit = Omit<GitFacts, 'as_of'>;

const common = {
  name: z.string(),
  workspace_id: z.uuid(),
  status: z.enum(AGENT_STATUSES),
  status_reason: z.string().describe('The reason for the status, in one sentence'),
  role: z.string(),
  project: z.string(),
  current_task: z.string().nullable().describe('What it works on; null unless busy'),
  last_task: z.string().nullable().describe('The newest task or report'),
  last_task_state: z.enum(TASK_ENDS).nullable().describe('How the last task ended'),
  last_result: z
    .string()
    .nullable()
    .describe('What the agent said or printed last in that task; when it did not complete, why'),
  needs_attention: z.boolean().describe('A human must act'),
  attention_reason: z.string().nullable().describe('Why a human has to act; null unless needs_attention'),
  stuck: z.boolean().describe('Busy without progress past the limit of its project'),
  busy_since: time.nullable(),
  pull_request: pullRequestSchema.nullable(),
  created_at: time,
  updated_at: time.describe('Last change of status, task or metadata'),
  metadata_count: z.int().min(0),
  metadata_collected_at: time.nullable(),
  git: gitFactsSchema.nullable(),
  checks: agentChecksSchema.nullable().describe('Null for an agent without checks'),
  queue_length: z.int().min(0),
  cost: z.number().nullable().describe('US dollars, if the agent reports it'),
  tokens: z.number().nullable(),
  created_by: z.string(),
};

/** An agent as a list shows it: texts cut at 160 characters. */
export const agentListSchema = z.object({
  ...common,
  metadata: z.record(z.string(), z.unknown()).describe('Values of the Taskfile fields with include_in_list'),
});

/** An agent as `show_agent` shows it: whole. */
export const agentSchema = z.object({
  ...common,
  spec: z.string().nullable(),
  metadata: z.record(
    z.string(),
    z.object({
      value: z.unknown(),
      error: z.string().nullable(),
      schema: z.object({ description: z.string(), include_in_list: z.boolean() }),
    }),
  ),
  fleet_metadata: z.record(z.string(), z.string()),
  refused_writes: z
    .array(z.string())
    .describe(
      'Writes that the sandbox refused since the agent was last started: the path, and the line of the role that would allow it',
    ),
});

export type AgentListView = z.output<typeof agentListSchema>;
export type AgentView = z.output<typeof agentSchema>;
