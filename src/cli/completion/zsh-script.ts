import { AGENT_STATUSES } from '../../domain/status.ts';
import { valueOptions, type CompletedCommand, type CompletedOption } from './command-tree.ts';

export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef fleet
_fleet() {
  local -a commands options subcommands names
  local kind=files previous=$words[CURRENT-1]
  commands=(${described(commands)})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map((command) => `    ${command.name}) ${settings(command)} ;;`).join('\n')}
  esac
  case "$words[2] $words[3]" in
${commands.flatMap(belowLines).join('\n')}
  esac
  case "$words[2] $previous" in
${commands.flatMap(valueLines).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
    return
  fi
  if (( CURRENT == 3 && $#subcommands )); then
    _describe subcommand subcommands
    return
  fi
  [[ $kind == projects && $CURRENT -ne 3 && $previous != --project ]] && kind=files
  case $kind in
    agents) names=(\${(f)"$(fleet list --names 2>/dev/null)"}); compadd -a names ;;
    projects) names=(\${(f)"$(fleet projects --names 2>/dev/null)"}); compadd -a names ;;
    statuses) compadd ${AGENT_STATUSES.join(' ')} ;;
    files) _files ;;
  esac
}
compdef _fleet fleet
`;
}

function settings({ options, words, commands }: CompletedCommand): string {
  const below = commands.length === 0 ? '' : ` subcommands=(${described(commands)})`;
  return `options=(${described(options)}) kind=${words}${below}`;
}

function belowLines({ name, commands }: CompletedCommand): readonly string[] {
  return commands.map((below) => `    '${name} ${below.name}') ${settings(below)} ;;`);
}

function valueLines(command: CompletedCommand): readonly string[] {
  return valueOptions(command).map(
    ([option, value]) => `    '${command.name} ${option}') kind=${value} subcommands=() ;;`,
  );
}

function described(all: readonly (CompletedCommand | CompletedOption)[]): string {
  return all
    .map((each) => `'${each.name}:${quoted('summary' in each ? each.summary : each.description)}'`)
    .join(' ');
}

/** Inside single quotes; a colon would end a name. */
function quoted(text: string): string {
  return text.replaceAll("'", '').replaceAll(':', '');
}
