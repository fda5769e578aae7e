import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cli } from './cli.ts';

/** Prints pieces of text as they come, by the user's pager where there is a terminal. */
export async function pageThrough(cli: Cli, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const [program = '', ...args] = (cli.env['FLEET_PAGER'] ?? cli.env['PAGER'] ?? 'less').split(/\s+/);
  if (!cli.out.isTerminal || program === '' || program === 'cat') {
    for await (const piece of pieces) cli.out.write(piece);
    return;
  }
  // As git asks for it: colours stay, and what fits on the screen is printed without a question.
  const env = { LESS: 'FRX', ...cli.env };
  const pager = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'], env });
  const closed = once(pager, 'close');
  let usable = await Promise.race([
    once(pager, 'spawn').then(() => true),
    closed.then(
      () => false,
      () => false,
    ),
  ]);
  pager.stdin.on('error', () => (usable = false));
  const isThere = usable;
  for await (const piece of pieces) {
    if (!isThere) cli.out.write(piece);
    else if (!usable) break;
    else if (!pager.stdin.write(piece)) await Promise.race([once(pager.stdin, 'drain'), closed]);
  }
  pager.stdin.end();
  if (isThere) await closed;
}
