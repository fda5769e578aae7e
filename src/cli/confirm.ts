import { createInterface } from 'node:readline/promises';
import { FleetError } from '../domain/errors.ts';
import type { Cli } from './cli.ts';
import { printableLine } from './printable.ts';

/** Asks before something is destroyed. Where nobody can be asked, --yes must have been said. */
export async function confirmed(cli: Cli, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!cli.stdin.isTTY || !cli.out.isTerminal) {
    throw new FleetError('INVALID_INPUT', `${printableLine(question)} Nobody can be asked here: say --yes.`, {
      field: 'yes',
    });
  }
  const lines = createInterface({ input: cli.stdin, output: process.stdout });
  try {
    return /^\s*y(?:es)?\s*$/i.test(await lines.question(`${printableLine(question)} [y/N] `));
  } finally {
    lines.close();
  }
}
