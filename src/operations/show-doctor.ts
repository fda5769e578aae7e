import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';

export const showDoctor = defineOperation({
  name: 'show_doctor',
  title: 'Check this machine',
  description:
    'Check the machine and the configuration of this fleet, as fleet doctor does: what is wrong, and what to do about it.',
  input: z.strictObject({}),
  output: z.object({
    ok: z.boolean().describe('False when a check failed'),
    checks: z.array(
      z.object({
        name: z.string(),
        state: z.enum(['ok', 'warn', 'fail']),
        message: z.string(),
        fix: z.string().optional().describe('What to do about it'),
      }),
    ),
  }),
  scopes: ['read'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/doctor' },
  handle: async ({ fleet }) => {
    const checks = await fleet.doctor.check();
    return { ok: checks.every(({ state }) => state !== 'fail'), checks: [...checks] };
  },
});
