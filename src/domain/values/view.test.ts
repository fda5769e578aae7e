import { expect, it } from 'vitest';
import { isInView, seesServer, type View } from './view.ts';

const READ = { server: 'files', name: 'files__read', readOnly: true };
const WRITE = { server: 'files', name: 'files__write', readOnly: false };

it.each<[View, boolean, boolean]>([
  [{}, true, true],
  [{ servers: ['files'] }, true, true],
  [{ servers: ['mail'] }, false, false],
  [{ tools: ['mail__*', '*__read'] }, true, false],
  [{ tools: [] }, false, false],
  [{ read_only: true }, true, false],
  [{ read_only: false }, true, true],
  [{ servers: ['files'], tools: ['files__write'], read_only: true }, false, false],
])('the view %o shows reading: %s, writing: %s', (view, reading, writing) => {
  expect([isInView(view, READ), isInView(view, WRITE)]).toEqual([reading, writing]);
});

it('a view that names servers shows no other one', () => {
  expect(seesServer({}, 'files')).toBe(true);
  expect(seesServer({ servers: ['mail'] }, 'files')).toBe(false);
});
