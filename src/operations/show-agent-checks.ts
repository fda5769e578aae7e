import { z } from 'zod';
import { CHECK_STATES } from '../domain/review/checks.ts';
import { agentName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

/** The checks of one commit, as two operations answer them. */
export const checksOutput = z.object({
  agent_name: z.string(),
  commit: z.string().nullable().describe('The commit of its branch; uncommitted work is not checked'),
  state: z.enum(CHECK_STATES).describe('running: they go on; show_agent_checks shows their results'),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(CHECK_STATES),
      exit_code: z.int().nullable().describe('Null when it did not run to its end'),
      took_ms: z.int().nullable(),
      output: z.string().nullable().describe('The end of what it printed'),
      checked_at: z.iso.datetime().nullable(),
    }),
  ),
});

export const showAgentChecks = defineOperation({
  name: 'show_agent_checks',
  title: 'Show the checks of an agent',
  description: "Show the results of the checks of an agent's committed work, without running any.",
  input: z.strictObject({ agent_name: agentName }),
  output: checksOutput,
  scopes: ['read', 'self'],
  hints: READ,
  on_request: true,
  route: { method: 'GET', path: '/agents/{agent_name}/checks' },
  handle: async ({ fleet }, { agent_name }) => fleet.checks(agent_name),
});
