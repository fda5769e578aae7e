import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { respondCommand } from '../respond.ts';

export function denyCommand(command: Command, cli: Cli): void {
  command.description('Deny what an agent asks for.');
  respondCommand(command, cli, 'deny');
  examples(command, [["fleet deny sony --note 'not on a Friday'", 'the agent is told why']]);
}
