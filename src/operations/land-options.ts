import { z } from 'zod';
import { LAND_STRATEGIES, UNCOMMITTED_CHOICES } from '../domain/merge/landing.ts';
import { idempotencyKey } from './inputs.ts';

/** Inputs that landing one agent and landing several share. */
export const landOptions = {
  into: z.string().min(1).max(500).optional().describe('Branch that moves; default: the base of the agent'),
  strategy: z
    .enum(LAND_STRATEGIES)
    .default('merge')
    .describe('merge (default): a merge commit; squash: one commit; rebase: each commit on top'),
  message: z.string().min(1).max(50_000).optional().describe('Message of the merge or squash commit'),
  uncommitted: z
    .enum(UNCOMMITTED_CHOICES)
    .default('refuse')
    .describe('What happens to uncommitted work: refuse (default), include or leave'),
  skip_checks: z.boolean().default(false).describe('Land without running the checks'),
  assign_to_agent: z
    .boolean()
    .default(false)
    .describe('Conflicts or failing checks become the next task of the agent'),
  delete_after: z.boolean().default(false).describe('Delete the agent once its work has landed'),
  idempotency_key: idempotencyKey,
};

export const headInput = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, 'must be the hash of a commit')
  .optional()
  .describe('The commit that was reviewed: nothing else lands');
