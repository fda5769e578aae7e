import { Command, type CommanderError } from 'commander';
import { quote } from '../domain/values/errors.ts';
import { nearest } from '../domain/values/text.ts';
import type { Cli } from './output/cli.ts';
import { usageError } from './calls/command.ts';
import { COMMANDS } from './commands/all-commands.ts';
import { HelpShown, UsageError } from './output/exit.ts';
import { packageVersion } from '../platform/package.ts';

export function makeProgram(cli: Cli): Command {
  const program = new Command('fleet')
    .description('Run and control a fleet of coding agents.')
    .option(
      '--config <file>',
      'the configuration to use (default: FLEET_CONFIG, then fleet.yaml here or above)',
    )
    .version(packageVersion(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    // An unknown command is reported by its name, whatever comes after it.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', '\nfleet COMMAND --help shows the options of a command, with examples.')
    // Errors of commander are printed by `reportFailure`, in the form that was asked for.
    .configureOutput({ writeOut: (text) => cli.out.write(text), writeErr: () => {} });
  program.exitOverride((error) => throwAsOurs(error, program));
  for (const { name, group, summary } of COMMANDS) {
    const command = program.command(name).summary(summary).helpGroup(group).allowExcessArguments(false);
    command.exitOverride((error) => throwAsOurs(error, command));
  }
  program.hook('preSubcommand', async (_program, command) => {
    const entry = COMMANDS.find(({ name }) => name === command.name());
    (await entry?.load())?.(command, cli);
    command.option('--config <file>', 'the configuration to use');
    for (const each of command.commands) each.exitOverride((error) => throwAsOurs(error, each));
  });
  program.hook('preAction', (_program, command) => {
    const { config } = command.optsWithGlobals<{ config?: string }>();
    cli.config = config;
  });
  program.action(() => {
    const [unknown] = program.args;
    if (unknown !== undefined) throw unknownCommand(unknown);
    program.outputHelp();
  });
  return program;
}

function throwAsOurs(error: CommanderError, command: Command): never {
  if (error.exitCode === 0) throw new HelpShown(error.message);
  const message = error.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  throw usageError(message.charAt(0).toUpperCase() + message.slice(1), command);
}

function unknownCommand(name: string): UsageError {
  const all = 'fleet --help lists the commands.';
  if (name.startsWith('-')) return new UsageError(`There is no option ${quote(name)} before a command.`, all);
  if (/^[a-z]+(?:_[a-z]+)+$/.test(name)) {
    return new UsageError(
      `There is no command ${quote(name)}. To call the operation: fleet call ${name}`,
      all,
    );
  }
  const hint = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  return new UsageError(
    `There is no command ${quote(name)}.${hint === undefined ? '' : ` Did you mean "${hint}"?`}`,
    all,
  );
}
