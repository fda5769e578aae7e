import { z } from 'zod';
import { defineOperation, DESTROY } from './operation.ts';

export const revokeToken = defineOperation({
  name: 'revoke_token',
  title: 'Revoke a token',
  description: 'Revoke a token: the next request with it is refused.',
  input: z.strictObject({
    name: z.string().min(1).max(100).describe('The token, as list_tokens shows it'),
  }),
  output: z.object({ name: z.string(), revoked: z.literal(true) }),
  scopes: ['approve'],
  hints: DESTROY,
  on_request: true,
  route: { method: 'DELETE', path: '/tokens/{name}' },
  handle: async ({ fleet }, { name }) => {
    await fleet.tokens.revoke(name);
    return { name, revoked: true as const };
  },
});
