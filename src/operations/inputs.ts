import { z } from 'zod';
import { AGENT_NAME_LIMIT, AGENT_NAME_PATTERN } from '../domain/values/agent-name.ts';
import { TASK_TEXT_LIMIT } from '../domain/task.ts';

const WORDS = '[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*';

/** Inputs that several operations share. */
export const agentName = z
  .string()
  .min(1)
  .max(AGENT_NAME_LIMIT)
  .regex(AGENT_NAME_PATTERN, 'must be letters and digits, with single hyphens between them')
  .describe('Name of the agent (case is ignored)');

export const workspaceId = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the id of a workspace');

/** On Coder others' agents can be looked at. */
export const shownAgentName = z
  .string()
  .min(1)
  .max(2 * AGENT_NAME_LIMIT + 1)
  .regex(
    new RegExp(`^(?=(?:[^/]{1,${AGENT_NAME_LIMIT}}/)?[^/]{1,${AGENT_NAME_LIMIT}}$)(?:${WORDS}/)?${WORDS}$`),
    `must be letters and digits, with single hyphens between them, at most ${AGENT_NAME_LIMIT} characters`,
  )
  .describe("Name of the agent (case is ignored); on Coder another user's as owner/name");

export const taskText = z
  .string()
  .max(TASK_TEXT_LIMIT)
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => !text.includes('\0'), 'must not have NUL characters')
  .meta({ minLength: 1, pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$` });

export const webAddress = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .meta({ pattern: '^[hH][tT][tT][pP][sS]?:' });

/** Several agents: a list, or a text with commas for clients that send no lists. */
export const agentNames = z
  .union(
    [
      z
        .array(z.string().min(1).max(200))
        .min(1, 'at least one name is needed')
        .max(1_000, 'at most 1000 names are allowed'),
      z.string().min(1).max(50_000),
    ],
    'must be a list of names, or names separated by commas',
  )
  .describe('A list of names, or names separated by commas');

/** Several paths: a list, or a text with commas for clients that send no lists. */
export const pathNames = z
  .union(
    [
      z.array(z.string().min(1).max(4_096)).max(1_000, 'at most 1000 paths are allowed'),
      z.string().min(1).max(50_000),
    ],
    'must be a list of paths, or paths separated by commas',
  )
  .describe('Only these files and directories, from the top of the repository');

/** Several checks: a list, or a text with commas for clients that send no lists. */
export const checkNames = z
  .union(
    [
      z.array(z.string().min(1).max(200)).max(100, 'at most 100 names are allowed'),
      z.string().min(1).max(20_000),
    ],
    'must be a list of names, or names separated by commas',
  )
  .describe('Only these checks; default: all');

export const projectName = z
  .string()
  .min(1)
  .max(200)
  .describe('Name of the project, see list_agent_projects');

export const page = z.int().min(1).max(1_000_000_000).describe('Page number, from 1');
export const pageSize = z.int().min(1).max(100).describe('Entries per page, 1 to 100');

/** A moment in the past, as answers have them. */
export const moment = z
  .string()
  .regex(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/,
    'must be a time in UTC such as 2026-11-15T23:10:22Z',
  );

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A repeated call with the same key returns the first answer');

/** The paging part of an answer. */
export const pagingShape = {
  total_count: z.int(),
  page: z.int(),
  page_size: z.int(),
  total_pages: z.int(),
  has_next_page: z.boolean(),
  has_previous_page: z.boolean(),
  as_of: z.iso.datetime().describe('Time of this data'),
};
