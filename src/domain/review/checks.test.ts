import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  failedNames,
  failureFingerprint,
  isConclusive,
  joinChecks,
  overallState,
  type Check,
  type CheckResult,
} from './checks.ts';

const aCheck = (name: string, line = name): Check => ({
  name,
  command: ['sh', '-c', line],
  timeout_ms: 1000,
});

const aResult = (name: string, exit_code: number | null = 0): CheckResult => ({
  name,
  state: exit_code === 0 ? 'passing' : 'failing',
  exit_code,
  took_ms: 5,
  output: `took ${Math.random()}`,
  checked_at: '2026-03-01T12:00:00.000Z',
});

const results = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), exit: fc.constantFrom(0, 1, 2, null) }),
  { selector: ({ name }) => name },
);

describe('the state of all checks', () => {
  it('is failing when one failed, passing when each passed, else not run', () => {
    const checks = [aCheck('a'), aCheck('b')];
    expect(overallState(checks, [])).toBe('not_run');
    expect(overallState(checks, [aResult('a')])).toBe('not_run');
    expect(overallState(checks, [aResult('a'), aResult('b')])).toBe('passing');
    expect(overallState(checks, [aResult('a', 1)])).toBe('failing');
    expect(overallState([], [])).toBe('not_run');
  });

  it('names the failed ones', () => {
    expect(failedNames([aResult('a', 1), aResult('b'), aResult('c', null)])).toEqual(['a', 'c']);
  });

  it('rests on checks that ran to their end', () => {
    expect([aResult('a', 1), aResult('a', 0), aResult('a', null)].map(isConclusive)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('the fingerprint of a failure', () => {
  it('is the same for the same failed checks in any order, whatever they printed', () => {
    fc.assert(
      fc.property(results, (given) => {
        const made = (): CheckResult[] => given.map(({ name, exit }) => aResult(name, exit));
        expect(failureFingerprint(made())).toBe(failureFingerprint(made().toReversed()));
      }),
    );
  });

  it('differs when another check fails, or in another way', () => {
    const prints = [
      [aResult('a', 1)],
      [aResult('a', 2)],
      [aResult('b', 1)],
      [aResult('a', null)],
      [aResult('a', 1), aResult('b', 1)],
    ].map(failureFingerprint);
    expect(new Set(prints).size).toBe(prints.length);
    expect(failureFingerprint([aResult('a', 1), aResult('b')])).toBe(prints[0]);
  });
});

describe('the checks of a project and a spec', () => {
  it('are those of the project first, and those of the spec that it does not have', () => {
    const joined = joinChecks([aCheck('tests', 'npm test')], [aCheck('npm test'), aCheck('make')]);
    expect(joined.map(({ name }) => name)).toEqual(['tests', 'make']);
  });

  it('have names of their own, on one line and not too long', () => {
    const given = [aCheck('tests', 'two'), aCheck('tests', 'three'), aCheck(`a\nb${'x'.repeat(200)}`)];
    const names = joinChecks([aCheck('tests', 'one')], given).map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['tests', 'tests (2)', 'tests (3)']);
    expect(names[3]).toMatch(/^a bx+…$/);
    expect(names[3]).toHaveLength(80);
  });

  it('never share a name or a command', () => {
    const several = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'a (2)', 'c'), fc.constantFrom('1', '2', '3', '4', '5')),
    );
    fc.assert(
      fc.property(several, several, (project, spec) => {
        const of = (pairs: [string, string][]): Check[] => pairs.map(([name, line]) => aCheck(name, line));
        const all = joinChecks(of(project), of(spec));
        expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
        expect(new Set(all.map(({ command }) => command[2])).size).toBe(all.length);
      }),
    );
  });
});
