import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { respondCommand } from '../calls/respond.ts';

export function approveCommand(command: Command, cli: Cli): void {
  command.description(
    'Allow what an agent asks for, or answer its question. fleet approvals ID shows the answers that it takes.',
  );
  respondCommand(command, cli, 'allow');
  examples(command, [
    ['fleet approve sony', 'allow the one thing that sony asks for'],
    ['fleet approve 3f2a9c1e-4 --option ID', 'choose an option that fleet approvals lists'],
    ["fleet approve sony --answer 'use port 8080'", 'answer a question'],
    [`fleet approve sony --answer '{"host": "localhost", "port": 8080}'`, 'fill a form with several fields'],
  ]);
}
