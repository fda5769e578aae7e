import { z } from 'zod';
import { CALL_STATUSES, type LogDetail } from '../../../domain/conversation/log-detail.ts';
import { jsonIn } from '../../../domain/values/text.ts';

const LIMIT = 500_000;
const call = {
  id: z.string(),
  tool: z.string(),
  title: z.string(),
  locations: z.array(z.object({ path: z.string(), line: z.number().nullable() })),
};
const known: z.ZodType<LogDetail> = z.discriminatedUnion('of', [
  z.object({ of: z.literal('task'), task_id: z.string() }),
  z.object({ of: z.enum(['message', 'thought']), continues: z.boolean().default(false) }),
  z.object({
    of: z.literal('call'),
    ...call,
    tool_kind: z.string().nullable(),
    input: z.unknown(),
    input_cut: z.boolean(),
  }),
  z.object({
    of: z.literal('call_end'),
    ...call,
    status: z.enum(CALL_STATUSES),
    diffs: z.array(
      z.object({
        path: z.string(),
        old_text: z.string().nullable(),
        new_text: z.string(),
        truncated: z.boolean(),
      }),
    ),
    output_length: z.int().min(0),
  }),
  z.object({ of: z.literal('call_output') }),
  z.object({
    of: z.literal('plan'),
    entries: z.array(z.object({ content: z.string(), status: z.string(), priority: z.string().nullable() })),
  }),
]);

/** The detail of a log entry that a runner sends: what this version does not know makes a plain line of it. */
export const logDetailSchema = z
  .unknown()
  .transform((sent): string | null =>
    typeof sent === 'string' && sent.length <= LIMIT && known.safeParse(jsonIn(sent)).success ? sent : null,
  );
