import { z } from 'zod';

const call = z.object({ id: z.string(), tool: z.string(), arguments: z.unknown() });
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({ role: z.literal('assistant'), text: z.string(), calls: z.array(call).default([]) }),
  z.object({
    role: z.literal('tool'),
    call_id: z.string(),
    tool: z.string(),
    text: z.string(),
    failed: z.boolean().default(false),
  }),
]);

const at = z.iso.datetime();

/** One line of a conversation's file. */
export const conversationEntry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), version: z.literal(1), id: z.uuid(), at }),
  z.object({ type: z.literal('message'), at, message }),
  /** Stands for the first `covers` messages. */
  z.object({ type: z.literal('summary'), at, text: z.string(), covers: z.int().min(0) }),
  /** What one answer used. */
  z.object({
    type: z.literal('usage'),
    at,
    model: z.string(),
    prompt: z.int().min(0),
    answer: z.int().min(0),
    took_ms: z.number().min(0),
  }),
]);

export type ConversationEntry = z.output<typeof conversationEntry>;
export type KeptMessage = z.output<typeof message>;
