import type { Command } from 'commander';
import { FleetError, quote } from '../domain/errors.ts';
import type { Cli } from './cli.ts';
import { UsageError } from './exit.ts';

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

/** An option's text as a whole number; what it may be is the operation's to say. */
export function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    if (/^-?\d+$/.test(text)) return Number(text);
    throw new FleetError('INVALID_INPUT', `${option} takes a whole number; got ${quote(text)}.`, {
      field: option.replace(/^--/, '').replaceAll('-', '_'),
    });
  };
}

/** What is the fleet owner's to do, and never an agent's. */
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

/** Wrong words, with how the command is used. */
export function usageError(message: string, command: Command): UsageError {
  const name = fullName(command);
  const sentence = /[.?!)]$/.test(message) ? message : `${message}.`;
  return new UsageError(sentence, `Usage: ${name} ${command.usage()}\n${name} --help says more.`);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
