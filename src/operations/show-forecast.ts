import { z } from 'zod';
import { forecastAnswer, forecastShape } from './forecast-shape.ts';
import { projectName } from './inputs.ts';
import { defineOperation, READ } from './operation.ts';

export const showForecast = defineOperation({
  name: 'show_forecast',
  title: 'Show the forecast',
  description:
    'Show the newest forecast of a project, as start_forecast made it; state running: its checks still run.',
  input: z.strictObject({ project: projectName }),
  output: forecastShape,
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/forecast' },
  handle: async ({ fleet }, { project }) => forecastAnswer(await fleet.showForecast(project)),
});
