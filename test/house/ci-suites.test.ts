import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SUITES = join(import.meta.dirname, '..', '..', '.ci', 'suites.sh');

/** Suites that take no time, and count as many minutes as real ones do on a cold machine. Bash stops counting in SECONDS
 *  when it was unset: on a loaded machine too, only the suites take time. */
const SCRIPT = `
set -euo pipefail
source "$1"
unset SECONDS
SECONDS=$(($2 * 60))
for name in "\${!cold_minutes[@]}"; do
  eval "suite_$name() { echo ran $name; SECONDS=\\$((SECONDS + \${cold_minutes[$name]} * 60)); }"
done
suite_test() { echo ran test; }
suite_broken() { false; echo ran broken; }
trap print_table EXIT
shift 2
for name in "$@"; do run_suite "$name"; done
run_planned
`;

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'fleet-ci-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

interface Run {
  readonly status: number | null;
  readonly output: string;
  readonly ran: readonly string[];
  /** Suites and results, as the table at the end has them. */
  readonly table: Readonly<Record<string, string>>;
}

/** A run whose suites before the planned ones took so many minutes. */
function run(minutes: number, { turn = 1, before = [] as string[] } = {}): Run {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', SCRIPT, 'bash', SUITES, String(minutes), ...before],
    {
      env: { PATH: process.env['PATH'], FLEET_CI_STATE: state, GITHUB_RUN_NUMBER: String(turn) },
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  const rows = [...stdout.matchAll(/^(\w+) +(?:\d+|-) {2}(.+)$/gm)];
  return {
    status,
    output: stdout,
    ran: [...stdout.matchAll(/^ran (\w+)$/gm)].map(([, name = '']) => name),
    table: Object.fromEntries(rows.map(([, name = '', result = '']) => [name, result])),
  };
}

const recorded = (): string[] => readFileSync(join(state, 'left-out'), 'utf8').split('\n').filter(Boolean);
const record = (...names: string[]): void => writeFileSync(join(state, 'left-out'), `${names.join('\n')}\n`);

describe('the suites of continuous integration', () => {
  it('all run when there is time for them', () => {
    const { status, ran, table } = run(-14, { before: ['test'] });
    expect(status).toBe(0);
    expect(ran).toEqual([
      'test',
      'coder',
      'docker',
      'forge',
      'sandbox',
      'agents',
      'browser',
      'faults',
      'tools',
      'ollama',
    ]);
    expect(new Set(Object.values(table))).toEqual(new Set(['passed']));
    expect(recorded()).toEqual([]);
  });

  it('take turns: those that came last come first in the next run', () => {
    const { ran } = run(-14, { turn: 1 });
    rmSync(join(state, 'left-out'));
    expect(run(-14, { turn: 2 }).ran).toEqual([...ran.slice(3), ...ran.slice(0, 3)]);
  });

  it('are left out when they would end after an hour', () => {
    const { status, table, output } = run(16, { turn: 2 });
    expect(status).toBe(0);
    expect(table).toMatchObject({ agents: 'passed', faults: 'passed', tools: 'passed', forge: 'passed' });
    expect(table).toMatchObject({ coder: 'left out', docker: 'left out' });
    expect(Number(/^total +(\d+)$/m.exec(output)?.[1])).toBeLessThanOrEqual(60);
    expect(recorded()).toEqual(['coder', 'docker']);
  });

  it('come first when the last run left them out', () => {
    record('tools', 'sandbox');
    const { status, ran } = run(-14);
    expect(status).toBe(0);
    expect(ran).toEqual([
      'sandbox',
      'tools',
      'coder',
      'docker',
      'forge',
      'agents',
      'browser',
      'faults',
      'ollama',
    ]);
    expect(recorded()).toEqual([]);
  });

  it.each([1, 2])(
    'are never left out twice in a row on a machine that is ready for them in 22 minutes, from turn %i on',
    (first) => {
      const seen = new Set<string>();
      for (let turn = first; turn < first + 6; turn++) {
        const { status, ran, output } = run(22, { turn });
        expect(status, output).toBe(0);
        for (const name of ran) seen.add(name);
      }
      expect(seen.size).toBe(9);
    },
  );

  it('fail the run when they are left out twice in a row', () => {
    record('tools');
    const { status, output, table } = run(59);
    expect(status).toBe(1);
    expect(output).toContain('Left out twice in a row: tools.');
    expect(table).toMatchObject({ tools: 'left out', coder: 'left out' });
    expect(recorded()).toContain('tools');
  });

  it('may be left out when there is no record of the run before', () => {
    const { status, table } = run(50, { turn: 1 });
    expect(status).toBe(0);
    expect(table).toMatchObject({ coder: 'left out' });
  });

  it('decide about the run, and not what is left to remove after it', () => {
    const script = 'set -euo pipefail; source "$1"; rm() { return 1; }; trap "discard /a/place; exit 0" EXIT';
    const { status, stdout } = spawnSync('bash', ['--norc', '-c', script, 'bash', SUITES], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, 'Not removed: /a/place\n']);
  });

  it.each([
    ['nothing fails', [0], '', ['npm run test:coder'], ''],
    ['a test fails', [1], '', ['npm run test:coder'], ''],
    [
      'nothing but a hook fails, and passes then',
      [1, 0],
      'test/coder/a.coder.ts',
      ['npm run test:coder', 'npm exec test/coder/a.coder.ts'],
      'test/coder/a.coder.ts: a hook\n',
    ],
    [
      'nothing but a hook fails, and again',
      [1, 1],
      'test/coder/a.coder.ts',
      ['npm run test:coder', 'npm exec test/coder/a.coder.ts'],
      '',
    ],
  ])('when %s: the files of hooks alone are run again', (_what, statuses, hooks, commands, retried) => {
    const script = `set -euo pipefail
      source "$1"
      tries=(--retry 1)
      npm() {
        if [[ $1 == exec ]]; then echo "npm exec \${!#}"; return ${statuses[1] ?? 0}; fi
        echo "npm run $2"
        printf '%s' "$HOOKS" >"$FLEET_FAILED_HOOKS"
        return ${statuses[0]}
      }
      run_tests test:coder`;
    const [failed, named] = [join(state, 'failed'), join(state, 'retried')];
    writeFileSync(named, '');
    const { status, stdout } = spawnSync('bash', ['--norc', '-c', script, 'bash', SUITES], {
      cwd: join(SUITES, '..', '..'),
      env: {
        PATH: process.env['PATH'],
        HOOKS: hooks === '' ? '' : `${hooks}\n`,
        FLEET_FAILED_HOOKS: failed,
        FLEET_RETRIED: named,
      },
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual(commands);
    expect(status).toBe(statuses.at(-1));
    expect(readFileSync(named, 'utf8')).toBe(retried);
  });

  it('end the run when one fails, and suites that were not reached are not recorded', () => {
    const { status, ran, table } = run(5, { before: ['test', 'broken'] });
    expect(status).toBe(1);
    expect(ran).toEqual(['test']);
    expect(table).toMatchObject({ test: 'passed', broken: 'failed', coder: 'not reached' });
    expect(existsSync(join(state, 'left-out'))).toBe(false);
  });
});
