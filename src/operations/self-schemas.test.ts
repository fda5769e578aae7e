import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { selfSchemas } from './self-schemas.ts';

it('is what npm run schema wrote for the runner', () => {
  const written = readFileSync(new URL('../runner/self-schemas.json', import.meta.url), 'utf8');
  expect(JSON.parse(written)).toEqual(selfSchemas());
});

it('leaves out what an agent does not decide for itself', () => {
  const { report_task, start_agent_task } = selfSchemas();
  expect(Object.keys(report_task?.properties ?? {})).toEqual(['message', 'uri', 'state']);
  expect(start_agent_task).toMatchObject({ required: ['task_description'], additionalProperties: false });
});
