import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { respondCommand } from '../respond.ts';

export function approveCommand(command: Command, cli: Cli): void {
  command.description('Allow what an agent asks for, or answer its question.');
  respondCommand(command, cli, 'allow');
  examples(command, [
    ['fleet approve sony', 'the one thing that sony asks for'],
    ['fleet approve 3f2a9c1e-4 --option allow_always', 'one of the options that it offers'],
    ["fleet approve sony --answer 'use port 8080'", 'answer a question'],
  ]);
}
