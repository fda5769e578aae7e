import { z } from 'zod';
import { forecastSentence, type Forecast } from '../domain/merge/forecast.ts';

export const forecastShape = z.object({
  project: z.string(),
  state: z.enum(['running', 'done']),
  order: z.array(z.string()).describe('The agents in the order in which they were merged'),
  merged: z.array(z.string()),
  conflicts: z.array(z.object({ agent: z.string(), with: z.array(z.string()), paths: z.array(z.string()) })),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['passing', 'failing', 'not_run']),
      broken_by: z.string().nullable(),
    }),
  ),
  left_out: z.array(z.string()),
  as_of: z.iso.datetime(),
  message: z.string(),
});

export function forecastAnswer(forecast: Forecast): z.input<typeof forecastShape> {
  const { project, state, order, merged, conflicts, checks, left_out, as_of } = forecast;
  return {
    project,
    state,
    order: [...order],
    merged: [...merged],
    conflicts: conflicts.map((each) => ({ agent: each.agent, with: [...each.with], paths: [...each.paths] })),
    checks: checks.map((each) => ({ ...each })),
    left_out: [...left_out],
    as_of,
    message: forecastSentence(forecast),
  };
}
