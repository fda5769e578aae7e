import type { Command } from 'commander';
import { quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';
import { usageError } from './command.ts';

/** A command below a command, such as `fleet token create`. */
export function subcommand(parent: Command, name: string, description: string): Command {
  // Words that are no subcommand are told by `refuseUnknownSubcommand`, with the nearest one that is.
  parent.allowExcessArguments();
  return parent
    .command(name)
    .description(description)
    .allowExcessArguments(false)
    .option('--config <file>', 'the configuration to use');
}

/** For the action of a command that has subcommands and also does something by itself. */
export function refuseUnknownSubcommand(command: Command): void {
  const [unknown] = command.args;
  if (unknown === undefined) return;
  const known = command.commands.map((each) => each.name());
  const hint = nearest(unknown, known);
  const meant = hint === undefined ? `It has: ${known.join(', ')}.` : `Did you mean "${hint}"?`;
  throw usageError(`fleet ${command.name()} has no command ${quote(unknown)}. ${meant}`, command);
}
