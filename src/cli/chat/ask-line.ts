import { createInterface } from 'node:readline/promises';
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
