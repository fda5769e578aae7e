import { createInterface } from 'node:readline/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { Cli } from '../output/cli.ts';

/** Asks a person for a line. An end of the input, or an abort, is an empty one. */
export type AskQuestion = (prompt: string, signal: AbortSignal) => Promise<string>;

/** One line from the terminal. An end of the input, or an abort, is an empty one. */
export async function askLine(cli: Cli, prompt: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: cli.stdin, output: process.stderr });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  // On a terminal in raw mode Ctrl-C is a character and not a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question(prompt, { signal: AbortSignal.any([signal, ended.signal]) });
  } catch {
    return '';
  } finally {
    lines.close();
  }
}

/** Drops what was typed so far: it must not answer a question that was not on the screen yet. */
export async function dropTyped({ stdin }: Cli): Promise<void> {
  if (!stdin.isTTY) return;
  const drop = (): void => {};
  stdin.on('data', drop);
  // Reading begins in the next turn, and what the terminal holds comes in the one after it.
  for (let turns = 0; turns < 3; turns++) await turn();
  stdin.off('data', drop);
  stdin.pause();
}
