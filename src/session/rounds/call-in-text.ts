import { z } from 'zod';
import type { ModelCall } from '../model/model.ts';

/** Longer texts are answers. */
const LONGEST = 20_000;
const WRAPPINGS = [
  /^```(?:json|tool_call|tool_code)?\s*\n([^]*?)\n?```$/,
  /^<tool_call>([^]*)<\/tool_call>$/,
  /^<function_call>([^]*)<\/function_call>$/,
] as const;

const args = z.union([z.record(z.string(), z.unknown()), z.string()]);
const named = z.strictObject({
  type: z.literal('function').optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool: z.string().optional(),
  arguments: args.optional(),
  parameters: args.optional(),
  input: args.optional(),
});
const nested = z.strictObject({
  type: z.literal('function').optional(),
  id: z.string().optional(),
  function: z.strictObject({ name: z.string(), arguments: args.optional() }),
});

/** The call that a model printed instead of making it. The whole text must be that one call, of a tool that is there. */
export function callInText(
  text: string,
  { id, isTool }: { readonly id: string; readonly isTool: (name: string) => boolean },
): ModelCall | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return undefined;
  const value = jsonIn(unwrapped(trimmed));
  if (value === undefined) return undefined;
  const { tool, given } = namedCall(value) ?? nestedCall(value) ?? {};
  // Without arguments it is more likely a piece of data.
  if (tool === undefined || given === undefined || !isTool(tool)) return undefined;
  return { id, tool, arguments: given };
}

interface Found {
  readonly tool?: string | undefined;
  readonly given?: unknown;
}

function namedCall(value: unknown): Found | undefined {
  const { data } = named.safeParse(value);
  if (data === undefined) return undefined;
  return { tool: data.name ?? data.tool, given: data.arguments ?? data.parameters ?? data.input };
}

function nestedCall(value: unknown): Found | undefined {
  const { data } = nested.safeParse(value);
  return data === undefined ? undefined : { tool: data.function.name, given: data.function.arguments };
}

function unwrapped(text: string): string {
  for (const wrapping of WRAPPINGS) {
    const [, inner] = wrapping.exec(text) ?? [];
    if (inner !== undefined) return inner.trim();
  }
  return text;
}

function jsonIn(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
