import { z } from 'zod';

export const text = z.string().refine((value) => !value.includes('\0'), 'must not contain the NUL character');
export const someText = text.min(1);
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}+$/u, 'must not contain control characters');
