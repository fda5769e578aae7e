import { createInterface } from 'node:readline/promises';
import { FleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

/** Asks before something is destroyed. Without a terminal, --yes is required. */
export async function confirmed(cli: Cli, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!cli.stdin.isTTY || !cli.out.isTerminal) {
    throw new FleetError(
      'INVALID_INPUT',
      `${printableLine(question)} There is no terminal to ask on: use --yes.`,
      {
        field: 'yes',
      },
    );
  }
  const lines = createInterface({ input: cli.stdin, output: process.stdout });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await lines.question(`${printableLine(question)} [y/N] `));
  } finally {
    lines.close();
  }
}
