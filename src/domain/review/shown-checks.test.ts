import { expect, it } from 'vitest';
import { shownChecks } from './shown-checks.ts';

const checks = ['a', 'b'].map((name) => ({ name, command: [name], timeout_ms: 1 }));
const passed = {
  name: 'a',
  state: 'passing',
  exit_code: 0,
  took_ms: 5,
  output: 'ok',
  checked_at: '2026-03-01T12:00:00.000Z',
} as const;
const none = { exit_code: null, took_ms: null, output: null, checked_at: null };

it('shows each check with its result, or that it has none', () => {
  expect(shownChecks('c', checks, { results: [passed], running: false })).toEqual({
    commit: 'c',
    state: 'not_run',
    checks: [passed, { name: 'b', state: 'not_run', ...none }],
  });
});

it('shows those without a result as running while they run', () => {
  expect(shownChecks('c', checks, { results: [passed], running: true })).toMatchObject({
    state: 'running',
    checks: [{ state: 'passing' }, { name: 'b', state: 'running' }],
  });
  const results = [passed, { ...passed, name: 'b', state: 'failing' as const }];
  expect(shownChecks('c', checks, { results, running: false }).state).toBe('failing');
});
