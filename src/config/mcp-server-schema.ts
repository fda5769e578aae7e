import { z } from 'zod';
import { someText, text } from './config-texts.ts';

const APPROVE_RULES = ['none', 'destructive', 'writes', 'all'] as const;

const oauthSchema = z.strictObject({
  grant: z.enum(['browser', 'client_credentials']).default('browser'),
  client_id: someText.optional().describe('Id of a registered client'),
  client_secret: someText.optional(),
  scope: someText.optional(),
  issuer: someText.optional().describe('The only authorization server to which client_secret is sent'),
  callback_port: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Port of the redirect after the login; default: any free port'),
});

/** Not strict: other clients have keys of their own in this shape. */
export const mcpServerSchema = z.object({
  type: someText.optional(),
  command: someText.optional(),
  args: z.array(text).optional(),
  env: z.record(someText, text).optional(),
  cwd: someText.optional(),
  url: someText.optional(),
  headers: z.record(someText, text).optional(),
  oauth: oauthSchema
    .optional()
    .describe(
      'How to log in to a remote server: with a browser (fleet tools login), or with client credentials',
    ),
  approve: z
    .enum(APPROVE_RULES)
    .default('destructive')
    .describe(
      'Which of its tools need an approval; writes: all that are not marked as read-only or not destructive',
    ),
  prefix: z.boolean().default(true).describe('false: its tools keep their bare names'),
  timeout: z.int().min(1).max(30_000).default(10_000).describe('Milliseconds to connect'),
  autoStart: z.boolean().default(true).describe('false: started by the first call of one of its tools'),
  idleTimeout: z
    .int()
    .min(0)
    .max(86_400_000)
    .default(600_000)
    .describe('Milliseconds without a call after which its program is stopped until the next one; 0: never'),
  disabled: z.boolean().default(false),
});

export type OAuthConfig = z.output<typeof oauthSchema>;
export type McpServerConfig = z.output<typeof mcpServerSchema> & {
  /** Variables that were not set when the file was read: the server must not be started while there are any. */
  readonly missing_variables: readonly string[];
};
