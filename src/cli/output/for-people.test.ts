import { expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/table.ts';
import { forPeople } from './for-people.ts';

it('names options and commands, not inputs and operations', () => {
  expect(forPeople('The input "status_filter" of list_agents is not valid: no; got "x".')).toBe(
    '--status is not valid: no; got "x".',
  );
  expect(forPeople('The agent is busy. Wait for it, or set when_busy to "queue" or "interrupt".')).toBe(
    'The agent is busy. Wait for it, or use --queue or --interrupt.',
  );
  expect(forPeople('restart_agent brings it back, or delete with discard_work.')).toBe(
    'fleet restart brings it back, or delete with --discard-work.',
  );
});

it('leaves quoted text alone, and shortens ids', () => {
  expect(forPeople('There is no agent "list_agents".')).toBe('There is no agent "list_agents".');
  expect(forPeople('it works on task 3f2a9c1e-0000-4000-8000-000000000000')).toBe(
    'it works on task 3f2a9c1e',
  );
});

it.each(OPERATIONS.map(({ name }) => name))('knows the command for %s', (name) => {
  expect(forPeople(`Try ${name} again.`)).toMatch(/^Try fleet [a-z ]+ again\.$/);
});
