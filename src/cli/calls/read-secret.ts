import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { FleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { readStdin } from './read-text.ts';

const LIMIT = 16_384;

/** Asks for a secret on a terminal, which does not show it; without a terminal it is all of stdin. */
export async function readSecret(cli: Cli, question: string): Promise<string> {
  if (!cli.stdin.isTTY) return await readStdin(cli, { field: 'token', limit: LIMIT, code: 'INVALID_INPUT' });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: cli.stdin, output: nowhere, terminal: true });
  const given = new AbortController();
  lines.once('close', () => given.abort());
  cli.err.write(question);
  try {
    return await lines.question('', { signal: given.signal });
  } catch (thrown) {
    if (!given.signal.aborted) throw thrown;
    throw new FleetError('INVALID_INPUT', 'No token was given.', { field: 'token' });
  } finally {
    lines.close();
    cli.err.write('\n');
  }
}
