import { z } from 'zod';
import { AGENT_NAME_LIMIT, AGENT_NAME_PATTERN } from '../domain/agent-name.ts';
import { TASK_TEXT_LIMIT } from '../domain/task.ts';

const WORDS = '[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*';

/** Inputs that several operations share. */
export const agentName = z
  .string()
  .min(1)
  .max(AGENT_NAME_LIMIT)
  .regex(AGENT_NAME_PATTERN, 'must be letters and digits, with single hyphens between them')
  .describe('Name of the agent, as list_agents shows it (upper and lower case are the same)');

/** On Coder others' agents can be looked at. */
export const shownAgentName = z
  .string()
  .min(1)
  .max(2 * AGENT_NAME_LIMIT + 1)
  .regex(
    new RegExp(`^(?=(?:[^/]{1,${AGENT_NAME_LIMIT}}/)?[^/]{1,${AGENT_NAME_LIMIT}}$)(?:${WORDS}/)?${WORDS}$`),
    `must be letters and digits, with single hyphens between them, at most ${AGENT_NAME_LIMIT} characters`,
  )
  .describe(
    "Name of the agent, as list_agents shows it (upper and lower case are the same); on Coder another user's as owner/name",
  );

export const taskText = z
  .string()
  .max(TASK_TEXT_LIMIT)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => !text.includes('\0'), 'must not have NUL characters');

export const projectName = z
  .string()
  .min(1)
  .max(200)
  .describe('Name of the project, see list_agent_projects');

export const page = z.int().min(1).max(1_000_000_000).describe('Page number, from 1');
export const pageSize = z.int().min(1).max(100).describe('Entries a page, 1 to 100');

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A key of your choice: the same call repeated with it does nothing and gives the first answer');

/** The paging part of an answer. */
export const pagingShape = {
  total_count: z.int(),
  page: z.int(),
  page_size: z.int(),
  total_pages: z.int(),
  has_next_page: z.boolean(),
  has_previous_page: z.boolean(),
  as_of: z.iso.datetime().describe('When this was true'),
};
