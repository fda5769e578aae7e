import { z } from 'zod';
import { APPROVAL_KINDS, DECISIONS } from '../domain/approvals/approval.ts';
import { CALL_STATUSES } from '../domain/conversation/log-detail.ts';
import { LOG_LEVELS, REPORT_STATES, TASK_ENDS } from '../domain/task.ts';

const stamp = {
  id: z.string().describe('An entry that comes again with the same id has changed'),
  at: z.iso.datetime().describe('When it began; entries are in this order'),
  updated_at: z.iso.datetime(),
  truncated: z.boolean().describe('True when a text in it was cut'),
};

const toolCall = z.object({
  kind: z.literal('tool_call'),
  ...stamp,
  tool: z.string(),
  title: z.string(),
  tool_kind: z.string().nullable().describe("The coding agent's word for it: read, edit, execute, …"),
  status: z.enum(CALL_STATUSES),
  input: z.unknown(),
  output: z.string().nullable(),
  locations: listOf({ path: z.string(), line: z.number().nullable() }),
  diffs: listOf({
    path: z.string(),
    old_text: z.string().nullable().describe('Null for a new file'),
    new_text: z.string(),
    truncated: z.boolean(),
  }),
});

const permission = z.object({
  kind: z.literal('permission'),
  ...stamp,
  approval_id: z.string().describe('For respond_approval'),
  question_kind: z.enum(APPROVAL_KINDS),
  question: z.string(),
  input: z.unknown(),
  options: listOf({ id: z.string(), name: z.string(), decision: z.enum(DECISIONS) }),
  expires_at: z.iso.datetime().nullable(),
  answer: z
    .object({
      decision: z.enum(DECISIONS),
      option: z.string().nullable(),
      answer: z.string().nullable(),
      note: z.string().nullable(),
      by: z.string(),
    })
    .nullable(),
  closed: z.string().nullable().describe('Why it was closed without an answer'),
});

/** An entry of a conversation, by its kind. */
export const conversationEntry = z.union([
  z.object({ kind: z.literal('task'), ...stamp, task_id: z.string(), text: z.string() }),
  z.object({
    kind: z.literal('message'),
    ...stamp,
    from: z.enum(['user', 'agent', 'thought']),
    text: z.string(),
    continues: z.boolean().describe('True when it goes on from the entry before'),
  }),
  toolCall,
  z.object({
    kind: z.literal('plan'),
    ...stamp,
    entries: listOf({ content: z.string(), status: z.string(), priority: z.string().nullable() }),
  }),
  permission,
  z.object({
    kind: z.literal('output'),
    ...stamp,
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
  }),
  z.object({ kind: z.literal('note'), ...stamp, level: z.enum(LOG_LEVELS), text: z.string() }),
  z.object({
    kind: z.literal('report'),
    ...stamp,
    report_id: z.string(),
    text: z.string(),
    uri: z.string().nullable(),
    state: z.enum(REPORT_STATES),
  }),
  z.object({
    kind: z.literal('task_end'),
    ...stamp,
    task_id: z.string(),
    state: z.enum(TASK_ENDS),
    reason: z.string(),
    result: z.string().nullable().describe('What the agent said or printed last'),
  }),
]);

/** A list that is given as it was read. */
function listOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.array(z.object(shape)).readonly();
}
