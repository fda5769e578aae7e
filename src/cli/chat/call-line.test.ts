import { expect, it } from 'vitest';
import { FleetError } from '../../domain/values/errors.ts';
import { callLine } from './call-line.ts';

const line = (text: string) =>
  callLine(
    { tool: 'delete_agent', arguments: { agent_name: 'ada' }, failed: true, took_ms: 20, text },
    { paint: (_style, painted) => painted, columns: 100 },
  );

it('shows the message of a failure as it reads, also of an error body that was cut off', () => {
  const body = JSON.stringify(new FleetError('NOT_FOUND', 'There is no agent "ada".').toBody());
  const expected = '✗ delete_agent agent_name=ada (0.0 s) There is no agent "ada".';
  expect(line(body)).toBe(expected);
  expect(line(body.slice(0, body.indexOf('.') + 1))).toBe(expected);
  expect(line('It broke.')).toBe('✗ delete_agent agent_name=ada (0.0 s) It broke.');
});
