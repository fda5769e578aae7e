import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRun } from '../../platform/processes/process-tree.ts';
import { Interruption } from './interruption.ts';
import { OPEN_CELL } from '../../platform/processes/cell.ts';
import { runProgram, type Exit } from './run-program.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-program-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Run {
  readonly exit: Exit;
  readonly output: string[];
  readonly errors: string[];
  readonly left: readonly number[];
}

async function run(
  command: readonly string[],
  options: { stdin?: string; signal?: AbortSignal; onOutput?: (line: string) => void } = {},
): Promise<Run> {
  const { stdin = '', signal = new AbortController().signal, onOutput } = options;
  const marker = randomUUID();
  const output: string[] = [];
  const errors: string[] = [];
  const exit = await runProgram(
    {
      command,
      directory,
      env: { PATH: process.env['PATH'] ?? '', OWN: 'value' },
      marker,
      cell: OPEN_CELL,
      stdin,
      onOutput: (line) => {
        output.push(line);
        onOutput?.(line);
      },
      onError: (line) => errors.push(line),
    },
    signal,
  );
  return { exit, output, errors, left: findRun(marker) };
}

const sh = (text: string, ...args: string[]): string[] => ['sh', '-c', text, 'sh', ...args];

describe('running a program', () => {
  it('gives its lines, its exit code, its directory and nothing but its own environment', async () => {
    const { exit, output, errors } = await run(
      sh('pwd; echo "$OWN ${HOME-none}"; echo oops >&2; printf last; exit 3'),
    );
    expect(exit).toEqual({ kind: 'exited', code: 3 });
    expect(output).toEqual([directory, 'value none', 'last']);
    expect(errors).toEqual(['oops']);
  });

  it('passes arguments and input on as they are', async () => {
    const odd = ['', '$(touch x)', '`id`', 'a b', "'", '"', '*', '-n', '--', 'ä😀'];
    const args = await run([
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...odd,
    ]);
    expect(JSON.parse(args.output[0] ?? '')).toEqual(odd);
    const text = `${'line\n'.repeat(40_000)}end`;
    expect((await run(['wc', '-c'], { stdin: text })).output[0]?.trim()).toBe(String(text.length));
    expect(existsSync(join(directory, 'x'))).toBe(false);
  });

  it('does not mind a program that reads no input', async () => {
    const { exit } = await run(['true'], { stdin: 'x'.repeat(1_000_000) });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
  });

  it('says when there is no such program', async () => {
    const { exit } = await run(['/no/such/program']);
    expect(exit.kind === 'not_started' || (exit.kind === 'exited' && exit.code !== 0)).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('leaves nothing of it behind, however it was started', async () => {
    const { exit, left } = await run(
      sh('setsid sleep 1000 & (sleep 1001 &) ; nohup sleep 1002 >/dev/null 2>&1 & echo started'),
    );
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    expect(left).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('interrupts the whole tree, politely first', async () => {
    const stop = new AbortController();
    const inner = `process.on('SIGINT', () => { console.log('inner'); process.exit(0); });
      setInterval(() => {}, 1000); console.log('ready')`;
    const outer = `const heard = new Promise((resolve) => process.on('SIGINT', resolve)).then(() => console.log('outer'));
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit', detached: true });
      child.on('exit', () => heard.then(() => process.exit(0)));`;
    const { output, left } = await run([process.execPath, '-e', outer, '--', inner], {
      signal: stop.signal,
      onOutput: (line) => {
        if (line === 'ready') stop.abort(new Interruption(20_000));
      },
    });
    expect(output.toSorted()).toEqual(['inner', 'outer', 'ready']);
    expect(left).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('climbs from SIGINT over SIGTERM to SIGKILL', async () => {
    const stop = new AbortController();
    const { exit, output, left } = await run(
      [
        process.execPath,
        '-e',
        `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal));
         setInterval(() => {}, 1000); console.log('ready')`,
      ],
      {
        signal: stop.signal,
        onOutput: (line) => {
          if (line === 'ready') stop.abort(new Interruption(300));
        },
      },
    );
    expect(output).toEqual(['ready', 'SIGINT', 'SIGTERM']);
    expect(exit).not.toEqual({ kind: 'exited', code: 0 });
    expect(left).toEqual([]);
  });
});
