import { z } from 'zod';
import { forecastAnswer, forecastShape } from './forecast-shape.ts';
import { agentNames, idempotencyKey, projectName } from './inputs.ts';
import { namesOf } from './names-of.ts';
import { defineOperation, SET } from './operation.ts';

export const startForecast = defineOperation({
  name: 'start_forecast',
  title: 'Forecast the merge',
  description:
    "Will the fleet merge? Merges the branches of a project's agents, oldest first, without changing anything, and runs the project's checks on the result: which agents merge, which conflict, and which break a check.",
  input: z.strictObject({
    project: projectName,
    agent_names: agentNames.optional().describe('Only these agents; default: all of the project'),
    skip_checks: z.boolean().default(false).describe('Only merge, run no checks'),
    idempotency_key: idempotencyKey,
  }),
  output: forecastShape,
  scopes: ['operate'],
  hints: SET,
  route: { method: 'POST', path: '/forecast' },
  handle: async ({ fleet, ...rest }, { project, agent_names, skip_checks }) =>
    forecastAnswer(
      await fleet.startForecast(
        { project, skip_checks, agent_names: agent_names === undefined ? undefined : namesOf(agent_names) },
        rest,
      ),
    ),
});
