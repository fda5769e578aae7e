import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { respondCommand } from '../calls/respond.ts';

export function denyCommand(command: Command, cli: Cli): void {
  command.description('Deny what an agent asks for. fleet approvals ID shows the answers that it takes.');
  respondCommand(command, cli, 'deny');
  examples(command, [["fleet deny sony --note 'not on a Friday'", 'the agent gets the note']]);
}
