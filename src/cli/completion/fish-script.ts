import { AGENT_STATUSES } from '../../domain/status.ts';
import type { CompletedCommand, CompletedOption, Words } from './command-tree.ts';

/** Whether the line is of a command, and of a subcommand of it. */
const CONDITION = `function __fleet_is
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; or return 1
  test (count $argv) -eq 1; or test "$words[3]" = "$argv[2]"
end`;

export function fishScript(commands: readonly CompletedCommand[]): string {
  const tops = commands.map(
    ({ name, summary }) => `complete -c fleet -f -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
  );
  return `${[CONDITION, ...tops, ...commands.flatMap(linesOf)].join('\n')}\n`;
}

function linesOf(command: CompletedCommand): readonly string[] {
  const below = command.commands.map(({ name }) => `; and not __fleet_is ${command.name} ${name}`);
  const alone = `__fleet_is ${command.name}${below.join('')}`;
  const candidates = CANDIDATES[command.words];
  return [
    ...command.commands.map(
      ({ name, summary }) => `complete -c fleet -f -n '${alone}' -a ${name} -d '${quoted(summary)}'`,
    ),
    ...(candidates === undefined ? [] : [`complete -c fleet -f -n '${alone}' -a '${candidates}'`]),
    ...command.options.map((option) => optionLine(alone, option)),
    ...command.commands.flatMap(({ name, options }) =>
      options.map((option) => optionLine(`__fleet_is ${command.name} ${name}`, option)),
    ),
  ];
}

const CANDIDATES: Readonly<Record<Words, string | undefined>> = {
  agents: '(fleet list --names 2>/dev/null)',
  projects: '(fleet projects --names 2>/dev/null)',
  statuses: AGENT_STATUSES.join(' '),
  files: undefined,
  none: undefined,
};

function optionLine(condition: string, { name, description, value }: CompletedOption): string {
  const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  const candidates = value === undefined ? undefined : CANDIDATES[value];
  const takes =
    value === undefined
      ? ''
      : value === 'files'
        ? ' -r'
        : candidates === undefined
          ? ' -x'
          : ` -x -a '${candidates}'`;
  return `complete -c fleet -n '${condition}' ${flag}${takes} -d '${quoted(description)}'`;
}

function quoted(text: string): string {
  return text.replaceAll("'", '');
}
