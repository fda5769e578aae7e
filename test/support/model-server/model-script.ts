import { z } from 'zod';

const toolCall = z.strictObject({
  tool: z.string(),
  /** A text is the input of a tool that takes no JSON, such as a patch. */
  input: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
});

export const FAULTS = ['server', 'overloaded', 'rate_limit', 'usage_limit', 'credit', 'auth'] as const;

/** One message of the model. */
const step = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  /** How often the text is said. */
  repeat: z.int().min(1).default(1),
  tool: z.string().optional(),
  input: toolCall.shape.input,
  /** Calls that are made at once. */
  tools: z.array(toolCall).default([]),
  usage: z
    .strictObject({ input: z.int().default(100), output: z.int().default(42), cached: z.int().default(10) })
    .default({ input: 100, output: 42, cached: 10 }),
  /** Milliseconds between the pieces of the stream. */
  slow: z.int().min(0).optional(),
  /** The connection breaks in the middle. */
  cut: z.boolean().default(false),
  /** Stops in the middle until this file is there. */
  hold: z.string().optional(),
  /** Stops in the middle and never goes on. */
  hang: z.boolean().default(false),
  /** An answer of the API that is none. */
  error: z.enum(FAULTS).optional(),
  /** For `rate_limit`, in seconds. */
  retry_after: z.int().default(1),
  /** For `usage_limit`, in seconds since 1970. */
  resets_at: z.int().optional(),
  /** A fault is over once this file is there. */
  fault_until: z.string().optional(),
});

export type Step = z.output<typeof step>;
export type Steps = readonly z.input<typeof step>[];
export type Fault = (typeof FAULTS)[number];
export type ToolCall = z.output<typeof toolCall>;

/** One message of a conversation, as the model is sent it. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly texts: readonly string[];
  /** The step that an assistant's call was made by, from its id. */
  readonly step?: number | undefined;
}

const WORD = 'SCRIPT:';
const GO_ON = 'You were cut off';
/** What Claude Code puts into a conversation that broke off, in the name of the model. */
const NOT_OURS = ['No response requested.', '(no content)'];

/** What the model says next: the script that the last prompt carries, at the step that the conversation has come to.
 *  No state is kept, so that retries, agents side by side, kill and resume all find the same. */
export function nextStep(
  turns: readonly Turn[],
  otherwise: Steps = [{ text: 'There is no script in this conversation.' }],
): { readonly step: Step; readonly index: number } {
  const told = turns.map(({ role, texts }) =>
    role === 'user' ? texts.findLast((text) => text.includes(WORD)) : undefined,
  );
  const last = told.findLastIndex((text) => text !== undefined);
  const prompt = told[last];
  // One that is told to go on goes on from where it was told first.
  const at = prompt?.startsWith(GO_ON) === true ? firstToldOf(told, arrayAfter(prompt)) : last;
  if (prompt === undefined) return stepOf(turns, otherwise);
  const steps = z.array(step).parse(JSON.parse(arrayAfter(prompt)));
  let index = 0;
  for (const turn of turns.slice(at + 1)) {
    if (turn.role === 'assistant' && !isNotOurs(turn))
      index = turn.step === undefined ? index + 1 : turn.step + 1;
  }
  return { step: steps[index] ?? step.parse({ text: 'The script has ended.' }), index };
}

/** A script for every message: the steps are counted from the last one of the user. */
function stepOf(turns: readonly Turn[], steps: Steps): { readonly step: Step; readonly index: number } {
  const last = turns.findLastIndex(({ role }) => role === 'user');
  const index = turns.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  return { step: step.parse(steps[index] ?? { text: 'The script has ended.' }), index };
}

/** Since the same script was told without a break; scripts in between would be tasks of their own. */
function firstToldOf(told: readonly (string | undefined)[], script: string): number {
  const known = told.flatMap((text, index) =>
    text === undefined ? [] : [{ index, script: arrayAfter(text) }],
  );
  const other = known.findLastIndex((each) => each.script !== script);
  return known[other + 1]?.index ?? 0;
}

/** A step that says this, for what is asked beside the conversation. */
export function sayStep(text: string): Step {
  return step.parse({ text });
}

/** For a prompt. */
export function scriptText(steps: Steps): string {
  return `${WORD}${JSON.stringify(steps)}`;
}

export function callsOf({ tool, input, tools }: Step): readonly ToolCall[] {
  return tool === undefined ? tools : [{ tool, input }, ...tools];
}

export function spokenText({ text = '', repeat }: Step): string {
  return text.repeat(repeat);
}

/** The text as a model would stream it. */
export function pieces(text: string): readonly string[] {
  const length = Math.max(8, Math.ceil(text.length / 200));
  return Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );
}

/** The id of a call, from which its step is found again. */
export function callId(prefix: string, index: number, call: number): string {
  return `${prefix}s${index}x${call}x${Math.random().toString(36).slice(2, 10)}`;
}

export function stepOfCall(id: string): number | undefined {
  const found = /s(\d+)x\d+x[a-z0-9]+$/.exec(id);
  return found === null ? undefined : Number(found[1]);
}

function isNotOurs({ texts, step }: Turn): boolean {
  return step === undefined && texts.length > 0 && texts.every((text) => NOT_OURS.includes(text.trim()));
}

/** The JSON array after the first word: one inside it is a script for somebody else. */
function arrayAfter(text: string): string {
  const start = text.indexOf('[', text.indexOf(WORD));
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '[') depth++;
    else if (!quoted && character === ']' && --depth === 0) return text.slice(start, at + 1);
  }
  throw new Error(`the script does not end: ${text.slice(start, start + 200)}`);
}
