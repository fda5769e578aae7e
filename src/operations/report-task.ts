import { z } from 'zod';
import { REPORT_STATES } from '../domain/task.ts';
import { CHANGE, defineOperation } from './operation.ts';
import { agentName, taskText, webAddress } from './inputs.ts';

export const reportTask = defineOperation({
  name: 'report_task',
  title: 'Report on your task',
  description:
    'For an agent, about itself: record a message in its history. State failure asks a human for attention.',
  input: z.strictObject({
    agent_name: agentName.optional().describe('The agent itself; may be left out'),
    message: taskText.describe('What was done, found or needed'),
    uri: webAddress.optional().describe('Link to the work (http or https)'),
    state: z.enum(REPORT_STATES).optional().describe('working (default), idle, complete, failure'),
  }),
  output: z.object({ agent_name: z.string(), recorded_at: z.iso.datetime() }),
  scopes: ['self'],
  hints: CHANGE,
  route: { method: 'POST', path: '/agents/{agent_name}/reports' },
  handle: ({ fleet, caller, makeId }, input) => fleet.report(input, { caller, makeId }),
});
