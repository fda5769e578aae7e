import { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import type { CommandEntry } from '../calls/command.ts';

/** What a word can be completed with. */
export type Words = 'agents' | 'projects' | 'statuses' | 'files' | 'none';

export interface CompletedOption {
  /** With its dashes. */
  readonly name: string;
  readonly description: string;
  /** Undefined for an option without a value. */
  readonly value: Words | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
  readonly words: Words;
}

/** Commands whose words are names of agents, or the name of a project first. */
const WORDS: Readonly<Record<string, Words>> = {
  show: 'agents',
  log: 'agents',
  diff: 'agents',
  review: 'agents',
  compare: 'agents',
  checkpoints: 'agents',
  conflicts: 'agents',
  forecast: 'agents',
  land: 'agents',
  publish: 'agents',
  update: 'agents',
  fork: 'agents',
  check: 'agents',
  history: 'agents',
  wait: 'agents',
  why: 'agents',
  shell: 'agents',
  path: 'agents',
  approvals: 'agents',
  approve: 'agents',
  deny: 'agents',
  task: 'agents',
  cancel: 'agents',
  stop: 'agents',
  restart: 'agents',
  delete: 'agents',
  ack: 'agents',
  meta: 'agents',
  create: 'projects',
  race: 'projects',
  roles: 'projects',
};

const VALUES: Readonly<Record<string, Words>> = {
  '--project': 'projects',
  '--status': 'statuses',
  '--config': 'files',
  '--file': 'files',
  '--spec-file': 'files',
};

/** The options that every command has. */
const COMMON: readonly CompletedOption[] = [
  { name: '--config', description: 'the configuration to use', value: 'files' },
  { name: '--help', description: 'show help', value: undefined },
];

/** All commands with their options and subcommands, from their own definitions. */
export async function commandTree(
  entries: readonly CommandEntry[],
  cli: Cli,
): Promise<readonly CompletedCommand[]> {
  return Promise.all(
    entries.map(async ({ name, summary, load }) => {
      const command = new Command(name).summary(summary);
      (await load())(command, cli);
      return completed(command, WORDS[name] ?? wordsOf(command));
    }),
  );
}

/** The options of a command and its subcommands that take a value, and what it can be. */
export function valueOptions({ options, commands }: CompletedCommand): readonly (readonly [string, Words])[] {
  const all = [options, ...commands.map((below) => below.options)].flat();
  return [
    ...new Map(all.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]))),
  ];
}

function wordsOf(command: Command): Words {
  return command.registeredArguments.length === 0 ? 'none' : 'files';
}

function completed(command: Command, words: Words): CompletedCommand {
  const own = command.options
    .filter(({ hidden, long }) => !hidden && long !== '--config')
    .map(({ long, short, description, required, optional }) => {
      const name = long ?? short ?? '';
      return { name, description, value: required || optional ? (VALUES[name] ?? 'none') : undefined };
    });
  return {
    name: command.name(),
    summary: command.summary() === '' ? command.description() : command.summary(),
    options: [...own, ...COMMON],
    commands: command.commands.map((each) => completed(each, wordsOf(each))),
    words,
  };
}
