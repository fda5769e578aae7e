import { z } from 'zod';
import { agentName, checkNames, idempotencyKey } from './inputs.ts';
import { defineOperation, SET } from './operation.ts';
import { checksOutput } from './show-agent-checks.ts';

export const checkAgent = defineOperation({
  name: 'check_agent',
  title: 'Run the checks of an agent',
  description:
    "Run the checks of an agent's project and spec on a clean checkout of its committed work. Known results are reused. After 60 s the answer is `running` and they go on.",
  input: z.strictObject({
    agent_name: agentName,
    names: checkNames.optional(),
    again: z.boolean().default(false).describe('Also run checks whose result is known'),
    idempotency_key: idempotencyKey,
  }),
  output: checksOutput,
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/agents/{agent_name}/checks' },
  handle: ({ fleet, caller, makeId, signal, progress }, { names, ...input }) =>
    fleet.check(
      { ...input, names: typeof names === 'string' ? names.split(',') : names },
      { caller, makeId, signal, progress },
    ),
});
