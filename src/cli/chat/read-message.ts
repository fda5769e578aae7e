import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { FleetError } from '../../domain/values/errors.ts';
import { readStdin, textOf } from '../calls/read-text.ts';
import type { Cli } from '../output/cli.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const SAY_MS = 2_000;
const SOCKET_MS = 500;
const STDIN = 0;

/** The message of `fleet ask`: the words, and what is piped in after them. */
export async function readMessage(cli: Cli, words: readonly string[]): Promise<string> {
  const piped = words.length > 0 && words[0] !== '-' && (await isPipe(cli)) ? await readPipe(cli) : '';
  const asked = await textOf(cli, words, 'message');
  const text = [asked ?? '', piped.trim()].filter((part) => part.trim() !== '').join('\n\n');
  if (text !== '') return text;
  throw new FleetError('INVALID_INPUT', 'Give a message, for example: fleet ask "Which agents are busy?"', {
    field: 'message',
  });
}

/** A program that starts us may leave a socket open and say nothing: it counts only when something comes at once. */
async function isPipe({ stdin }: Cli): Promise<boolean> {
  if (stdin.isTTY) return false;
  const kind = fstatSync(STDIN);
  if (kind.isFIFO() || kind.isFile()) return true;
  if (!kind.isSocket()) return false;
  try {
    await once(stdin, 'readable', { signal: AbortSignal.timeout(SOCKET_MS) });
    return true;
  } catch {
    stdin.pause();
    return false;
  }
}

async function readPipe(cli: Cli): Promise<string> {
  const timer = setTimeout(() => cli.err.line('fleet: reading stdin until its end …'), SAY_MS);
  try {
    return await readStdin(cli, { field: 'message', limit: MOST_BYTES, code: 'TOO_LARGE' });
  } finally {
    clearTimeout(timer);
  }
}
