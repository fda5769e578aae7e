import { z } from 'zod';
import { idempotencyKey } from './inputs.ts';
import { defineOperation, CHANGE } from './operation.ts';

export const undoLand = defineOperation({
  name: 'undo_land',
  title: 'Undo a landing',
  description:
    'Take a landing back: the branch returns to where it was while nothing came after the landing, otherwise a commit reverts it.',
  input: z.strictObject({
    land_id: z.string().min(1).max(200).describe('As land_agent returned it'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({
    land_id: z.string(),
    into: z.string(),
    before: z.string(),
    after: z.string(),
    how: z.enum(['reset', 'revert']),
    message: z.string(),
  }),
  scopes: ['operate'],
  hints: CHANGE,
  not_for_agents: true,
  route: { method: 'POST', path: '/land/{land_id}/undo' },
  on_request: true,
  handle: async ({ fleet, ...rest }, { land_id }) => fleet.undoLand(land_id, rest),
});
