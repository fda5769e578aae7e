import { z } from 'zod';
import { gitFactsSchema } from '../../../domain/agent.ts';
import { LOG_LEVELS, LOG_TYPES } from '../../../domain/task.ts';
import { factsSchema } from './fact-schema.ts';
import { logDetailSchema } from './log-detail-schema.ts';

/** What a runner sends with each answer: all that happened since the fleet last received news. */
export const newsSchema = z.object({
  /** The number of its newest fact. */
  seq: z.int().min(0),
  facts: factsSchema,
  /** True when there are more facts or log entries than one answer takes. */
  more: z.boolean(),
  // A runner of an older version makes none.
  checkpoints: z
    .array(
      z.object({
        seq: z.int().min(0),
        at: z.string(),
        moment: z.string(),
        data: z.object({ number: z.int(), commit: z.string() }),
      }),
    )
    .default([]),
  progress: z.object({ at: z.number(), awake_ms: z.number(), boot: z.string() }).nullable(),
  // A runner of an older version does not say when it looked.
  git: gitFactsSchema.extend({ as_of: z.string().nullable().default(null) }).nullable(),
  listed: z.object({
    count: z.int().min(0),
    collected_at: z.string().nullable(),
    changed_at: z.string().nullable(),
    values: z.record(z.string(), z.unknown()),
  }),
  /** Null when they are those that the fleet has. */
  fields: z
    .record(
      z.string(),
      z.object({
        value: z.unknown(),
        error: z.string().nullable(),
        schema: z.object({ description: z.string(), include_in_list: z.boolean() }),
      }),
    )
    .nullable(),
  /** Null when the log was not asked for. */
  log: z
    .object({
      /** The oldest entry that is still there. */
      first: z.int().min(0),
      rows: z.array(
        z.object({
          id: z.int().min(1),
          timestamp: z.string(),
          message: z.string(),
          level: z.enum(LOG_LEVELS),
          type: z.enum(LOG_TYPES),
          // A runner of an older version sends none.
          detail: logDetailSchema,
        }),
      ),
    })
    .nullable(),
});

export type News = z.output<typeof newsSchema>;
