import { z } from 'zod';
import { SCOPES, type Scope } from '../domain/principal.ts';
import { defineOperation, READ } from './operation.ts';

export const listTokens = defineOperation({
  name: 'list_tokens',
  title: 'List tokens',
  description: "List the tokens besides the fleet's own, without their secrets.",
  input: z.strictObject({}),
  output: z.object({
    tokens: z.array(
      z.object({
        name: z.string(),
        scopes: z.array(z.enum(SCOPES as readonly [Scope, ...Scope[]])),
        source: z.enum(['human', 'ai']).describe('Who gives tasks with it'),
        view: z.string().nullable().describe('The one view that it opens, at /mcp only'),
        created_at: z.iso.datetime(),
      }),
    ),
    total_count: z.int(),
  }),
  scopes: ['approve'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/tokens' },
  handle: async ({ fleet }) => {
    const tokens = await fleet.tokens.list();
    return { tokens: [...tokens], total_count: tokens.length };
  },
});
