import { z } from 'zod';

export const SESSION_PROVIDERS = ['ollama', 'openai', 'anthropic'] as const;

export type SessionProvider = (typeof SESSION_PROVIDERS)[number];

const someText = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), 'must not contain the NUL character');
const price = z.number().min(0);

/** The controlling AI of `fleet chat` and `fleet ask`. */
export const sessionSchema = z.strictObject({
  provider: z
    .enum(SESSION_PROVIDERS)
    .optional()
    .describe('The API of the model server; openai is any server with that API; default: ollama'),
  model: someText
    .optional()
    .describe('Name of the model; default on Ollama: the newest one there that can call tools'),
  url: someText
    .regex(/^https?:\/\/[^/?#\s]+[^?#\s]*$/, 'must be an address such as "http://127.0.0.1:11434"')
    .optional()
    .describe('Address of the model server; default: OLLAMA_HOST, or the address of the provider'),
  context: z
    .int()
    .min(1024)
    .optional()
    .describe('Context window in tokens; default: what the model and the memory of this machine allow'),
  system_prompt_file: someText
    .optional()
    .describe("Used instead of the session's own system prompt; relative to the directory of this file"),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
    .optional()
    .describe('The environment variable with the API key; default: OPENAI_API_KEY or ANTHROPIC_API_KEY'),
  view: someText.optional().describe('The session gets the tools of this view; default: all tools'),
  think: z
    .boolean()
    .optional()
    .describe('false: an Ollama model that can think is asked not to; default: true'),
  silent_after_seconds: z
    .int()
    .min(1)
    .max(3600)
    .optional()
    .describe('How long the model server may send nothing; default: 300'),
  prices: z
    .strictObject({ input: price, output: price })
    .optional()
    .describe('US dollars for a million tokens, to show what a conversation costs'),
});

export type SessionConfig = z.output<typeof sessionSchema>;
