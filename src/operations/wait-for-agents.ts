import { z } from 'zod';
import { agentListSchema } from '../domain/agent.ts';
import { agentNames } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const waitForAgents = defineOperation({
  name: 'wait_for_agents',
  title: 'Wait for agents',
  description:
    'Wait until agents are idle (nothing running or queued, or offline), until one needs attention, or until anything changes after a cursor. Sends progress while it waits.',
  input: z.strictObject({
    agent_names: agentNames
      .optional()
      .describe('A list of names, or names separated by commas; default: all agents'),
    until: z.enum(['idle', 'attention', 'any_change']).optional().describe('Default: idle'),
    timeout_seconds: z.number().min(0).max(3600).optional().describe('Default: 60'),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'must be a cursor from an earlier answer')
      .optional()
      .describe(
        'For any_change: only changes after this cursor of an earlier answer. If it is too old, every agent counts as changed',
      ),
  }),
  output: z.object({ agents: z.array(agentListSchema), timed_out: z.boolean(), cursor: z.string() }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/wait' },
  handle: ({ fleet, signal, progress }, input) => fleet.waitForAgents(input, { signal, progress }),
});
