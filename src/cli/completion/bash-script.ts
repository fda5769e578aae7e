import { AGENT_STATUSES } from '../../domain/status.ts';
import { valueOptions, type CompletedCommand, type CompletedOption } from './command-tree.ts';

/** Names of projects are read line by line: `compgen -W` would run what stands in `$( )` in one. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `_fleet_lines() {
  local line
  while IFS= read -r line; do
    [[ $line == "$word"* ]] && COMPREPLY+=("$(printf %q "$line")")
  done < <("$@" 2>/dev/null)
}
_fleet() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local options='' words=files subcommands=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${namesOf(commands)}' -- "$word"))
    return
  fi
  case $command in
${commands.map((command) => `    ${command.name}) ${settings(command)} ;;`).join('\n')}
  esac
  case "$command \${COMP_WORDS[2]}" in
${commands.flatMap(belowLines).join('\n')}
  esac
  case "$command $previous" in
${commands.flatMap(valueLines).join('\n')}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  if [ -n "$subcommands" ] && [ "$COMP_CWORD" -eq 2 ]; then
    COMPREPLY=($(compgen -W "$subcommands" -- "$word"))
    return
  fi
  [ "$words" = projects ] && [ "$COMP_CWORD" -ne 2 ] && [[ $previous != --project ]] && words=files
  case $words in
    agents) _fleet_lines fleet list --names ;;
    projects) _fleet_lines fleet projects --names ;;
    statuses) COMPREPLY=($(compgen -W '${AGENT_STATUSES.join(' ')}' -- "$word")) ;;
    files) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _fleet fleet
`;
}

function settings({ options, words, commands }: CompletedCommand): string {
  const below = commands.length === 0 ? '' : ` subcommands='${namesOf(commands)}'`;
  return `options='${namesOf(options)}' words=${words}${below}`;
}

function belowLines({ name, commands }: CompletedCommand): readonly string[] {
  return commands.map((below) => `    '${name} ${below.name}') ${settings(below)} ;;`);
}

function valueLines(command: CompletedCommand): readonly string[] {
  return valueOptions(command).map(
    ([option, value]) => `    '${command.name} ${option}') words=${value} subcommands='' ;;`,
  );
}

function namesOf(all: readonly (CompletedCommand | CompletedOption)[]): string {
  return all.map(({ name }) => name).join(' ');
}
