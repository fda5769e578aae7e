import { describe, expect, it } from 'vitest';
import type { CheckResult } from './checks.ts';
import { handBackMessage, type Failure } from './hand-back.ts';

const failed: CheckResult = {
  name: 'tests',
  state: 'failing',
  exit_code: 3,
  took_ms: 5,
  output: 'the reason\n',
  checked_at: '2026-03-01T12:00:00.000Z',
};
const failure: Failure = {
  commit: '0123456789abcdef',
  checks: [
    { name: 'tests', command: ['sh', '-c', 'npm test'], timeout_ms: 1 },
    { name: 'lint', command: ['npx', 'eslint', 'a b'], timeout_ms: 1 },
  ],
  results: [failed],
  dirty: false,
};

describe('failing checks as a task', () => {
  it('name what failed, on which commit, how it was run and what it printed', () => {
    const message = handBackMessage({
      ...failure,
      results: [
        failed,
        { ...failed, name: 'lint', exit_code: null },
        { ...failed, name: 'ok', state: 'passing' },
      ],
    });
    expect(message).toContain('its checks fail: tests, lint.');
    expect(message).toContain('commit 0123456789ab of your branch');
    expect(message).toContain('tests (exit code 3), run as: npm test\nthe reason');
    expect(message).toContain("lint (did not run to its end), run as: npx eslint 'a b'\nthe reason");
    expect(message).not.toContain('ok');
  });

  it('say whether work was left out because it is not committed', () => {
    expect(handBackMessage(failure)).toContain('Changes that are not committed are not part of it.');
    expect(handBackMessage({ ...failure, dirty: true })).toContain('has changes that are not committed');
  });

  it('have the end of long output, and fit into a task', () => {
    const long = { ...failed, output: `${'x'.repeat(100_000)}the end` };
    expect(handBackMessage({ ...failure, results: [long] })).toMatch(/…x+the end$/);
    const many = Array.from({ length: 50 }, (_, index) => ({ ...long, name: `check ${index}` }));
    expect(handBackMessage({ ...failure, results: many }).length).toBeLessThanOrEqual(60_000);
  });
});
