import { z } from 'zod';
import { SIDES } from '../domain/review/review-comment.ts';

export const commentShape = z.object({
  id: z.string(),
  path: z.string(),
  line: z.int(),
  side: z.enum(SIDES),
  snippet: z.string().describe('The line that was commented on'),
  text: z.string(),
  stale: z.boolean().describe('The line has changed since'),
  by: z.string(),
  created_at: z.iso.datetime(),
});
