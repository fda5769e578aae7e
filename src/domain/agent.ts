import { z } from 'zod';
import { CHECK_STATUSES, PULL_REQUEST_STATUSES } from './pull-request.ts';
import { AGENT_STATUSES } from './status.ts';

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
});

export type GitFacts = z.output<typeof gitFactsSchema>;

const common = {
  name: z.string(),
  workspace_id: z.uuid(),
  status: z.enum(AGENT_STATUSES),
  status_reason: z.string().describe('One sentence: the evidence that the status was derived from'),
  role: z.string(),
  project: z.string(),
  current_task: z.string().nullable().describe('What it works on; null unless busy'),
  last_task: z.string().nullable().describe('The newest task or report'),
  needs_attention: z.boolean().describe('A human must act'),
  stuck: z.boolean().describe('Busy without progress past the limit of its project'),
  busy_since: time.nullable(),
  pull_request: pullRequestSchema.nullable(),
  created_at: time,
  updated_at: time.describe('Last change of status, task or metadata'),
  metadata_count: z.int().min(0),
  metadata_collected_at: time.nullable(),
  git: gitFactsSchema.nullable(),
  queue_length: z.int().min(0),
  cost: z.number().nullable().describe('US dollars, where the agent says'),
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
});

export type AgentListView = z.output<typeof agentListSchema>;
export type AgentView = z.output<typeof agentSchema>;
