import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { shellWord } from '../../domain/values/text.ts';
import { findProgram } from '../../platform/processes/find-program.ts';

export interface TerminalProgram {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** The command as it is started; undefined for a program that may have the terminal of its caller. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
  /** Whether a person sits at a terminal. */
  readonly isTerminal: boolean;
}

/** Runs a program with the streams of this one, and answers with its exit code.
 *
 *  A program in a sandbox gets a terminal of its own, in the sandbox, and what is around it one outside: a program with
 *  the caller's terminal could type into it what the caller's shell runs after its end. */
export async function runInTerminal(program: TerminalProgram): Promise<number> {
  const { command, wrap, isTerminal, directory, env } = program;
  const script = findProgram('script', process.env['PATH']);
  const shared = wrap === undefined;
  const inTerminal = !shared && isTerminal && script !== undefined;
  const [file = '', ...args] = shared
    ? command
    : inTerminal
      ? inScript(script, wrap(inScript(script, command)))
      : wrap(command);
  const child = spawn(file, args, {
    cwd: directory,
    env: inTerminal ? { ...env, SHELL: '/bin/sh' } : env,
    stdio: 'inherit',
    // Without a terminal it must not have the caller's either.
    detached: !shared && !inTerminal,
  });
  const pass = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && !shared && !inTerminal) process.kill(-child.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}

/** `script` takes a command as a line for a shell, and nothing else. */
function inScript(script: string, command: readonly string[]): readonly string[] {
  return [script, '-qefc', `exec ${command.map(shellWord).join(' ')}`, '/dev/null'];
}
