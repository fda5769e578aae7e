import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, FleetError, isErrorCode } from '../../domain/values/errors.ts';
import { Cli } from './cli.ts';
import { exitCodeOf, reportFailure } from './exit.ts';

function fail(thrown: unknown, { json = false, env = {} }: { json?: boolean; env?: NodeJS.ProcessEnv } = {}) {
  const [stdout, stderr] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })];
  const cli = new Cli({ env, stdout, stderr });
  cli.json = json;
  return {
    exitCode: reportFailure(cli, thrown),
    stdout: String(stdout.read() ?? ''),
    stderr: String(stderr.read() ?? ''),
  };
}

describe('reportFailure', () => {
  it('prints the message to stderr and exits by the table [ERR-cli]', () => {
    const failure = fail(new FleetError('CONFLICT', 'The agent "sony" is busy.'));
    expect(failure).toEqual({ exitCode: 4, stdout: '', stderr: 'fleet: The agent "sony" is busy.\n' });
    const asJson = fail(new FleetError('NOT_FOUND', 'No agent.', { field: 'agent_name' }), { json: true });
    expect(asJson).toMatchObject({ exitCode: 3, stderr: '' });
    expect(JSON.parse(asJson.stdout)).toEqual({
      error: { code: 'NOT_FOUND', message: 'No agent.', details: { field: 'agent_name' } },
    });
  });

  it('keeps the text of a defect to itself unless asked for', () => {
    const quiet = fail(new TypeError('secret'));
    expect(quiet.exitCode).toBe(1);
    expect(quiet.stderr).not.toContain('secret');
    expect(fail(new TypeError('secret'), { env: { FLEET_DEBUG: '1' } }).stderr).toContain(
      'TypeError: secret',
    );
  });

  it('prints no control character of a message', () => {
    expect(fail(new FleetError('INVALID_INPUT', 'bad \u001b[2J text')).stderr).toBe(
      'fleet: bad \\x1b[2J text\n',
    );
  });
});

describe('exit codes', () => {
  it.each([
    ['INVALID_INPUT', 2],
    ['UNAUTHORIZED', 5],
    ['FORBIDDEN', 5],
    ['APPROVAL_REQUIRED', 6],
    ['NOT_FOUND', 3],
    ['CONFLICT', 4],
    ['TOO_LARGE', 8],
    ['RATE_LIMITED', 8],
    ['INTERNAL_ERROR', 1],
    ['SERVICE_UNAVAILABLE', 7],
  ] as const)('%s is %d', (code, exit) => {
    expect(exitCodeOf(new FleetError(code, 'x'))).toBe(exit);
  });

  it('has one for every code', () => {
    expect(Object.keys(ERROR_TABLE).filter(isErrorCode)).toHaveLength(10);
  });
});
