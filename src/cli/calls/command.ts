import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { UsageError } from '../output/exit.ts';

/** Gives a command its arguments, options, help and action. Loaded only when that command is used. */
export type DefineCommand = (command: Command, cli: Cli) => void;

export interface CommandEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<DefineCommand>;
}

export function jsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON document');
}

/** The end of a help text: lines of `command  # what it does`. */
export function examples(
  command: Command,
  lines: readonly (readonly [line: string, what: string])[],
): Command {
  const width = Math.max(...lines.map(([line]) => line.length));
  const text = lines.map(([line, what]) => `  ${line.padEnd(width)}   # ${what}`).join('\n');
  return command.addHelpText('after', `\nExamples:\n${text}`);
}

/** An option's text as a whole number. The operation checks its range. */
export function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    if (/^-?\d+$/.test(text)) return Number(text);
    throw new FleetError('INVALID_INPUT', `${option} takes a whole number; got ${quote(text)}.`, {
      field: option.replace(/^--/, '').replaceAll('-', '_'),
    });
  };
}

/** Collects the values of an option that can be given several times. Without a default, which the help would show. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** For commands that only the owner of the fleet may run. */
export function refuseInsideAgent(cli: Cli, what: string): void {
  if (!cli.insideAgent) return;
  throw new FleetError(
    'FORBIDDEN',
    `${what} cannot be used from inside an agent: it is for the fleet's owner.`,
    {
      reason: 'inside_agent',
    },
  );
}

/** A command line that cannot be understood, with the usage of the command. */
export function usageError(message: string, command: Command): UsageError {
  const name = fullName(command);
  const sentence = /[.?!)]$/.test(message) ? message : `${message}.`;
  return new UsageError(sentence, `Usage: ${name} ${command.usage()}\nRun ${name} --help for details.`);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
