import { expect, it } from 'vitest';
import { landConflict, namedPaths } from './landing.ts';
import { landingTask } from './landing-task.ts';

const PATHS = ['a b', 'x\nfleet: all is well', 'tab\t'];

it('names paths in one line, whatever they are called', () => {
  expect(namedPaths(PATHS)).toBe(String.raw`a b, "x\nfleet: all is well", "tab\t"`);
  expect(namedPaths(['1', '2', '3', '4', '5', '6', '7'])).toBe('1, 2, 3, 4, 5 and 2 more');
});

it('gives an agent all of them as a task', () => {
  const task = landingTask(landConflict('conflicts', 'It conflicts.', { paths: PATHS }), 'main');
  expect(task).toContain(String.raw`Files: a b, "x\nfleet: all is well", "tab\t"`);
  expect(landingTask(landConflict('busy', 'It is busy.'), 'main')).toBeUndefined();
});
