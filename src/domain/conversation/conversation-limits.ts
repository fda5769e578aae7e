/** How much of a conversation is kept and shown, in characters. */
export const CONVERSATION_LIMITS = {
  /** One text: a message, a task, the output of a call. */
  text: 16_384,
  /** The input of a call, as JSON. */
  input: 8_000,
  /** One text inside a larger input. */
  input_text: 2_000,
  /** Each side of a diff. */
  diff: 8_000,
  diffs: 10,
  locations: 20,
  plan_entries: 100,
  plan_text: 500,
  /** All entries of one answer, as JSON. */
  answer: 1_000_000,
} as const;
