import type { CommandEntry } from './command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Commands whose words are names of agents. */
const WITH_NAMES = [
  'show',
  'log',
  'history',
  'wait',
  'why',
  'task',
  'cancel',
  'stop',
  'restart',
  'delete',
  'ack',
  'meta',
];

type Known = Pick<CommandEntry, 'name' | 'summary'>;

export function completionScript(shell: Shell, commands: readonly Known[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

function bash(commands: readonly Known[]): string {
  return `_fleet() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names(commands)}' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
    ${WITH_NAMES.join('|')}) COMPREPLY=($(compgen -W "$(fleet list --names 2>/dev/null)" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _fleet fleet
`;
}

function zsh(commands: readonly Known[]): string {
  const described = commands.map(({ name, summary }) => `'${name}:${quoted(summary)}'`).join(' ');
  return `#compdef fleet
_fleet() {
  local -a commands agents
  commands=(${described})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
    ${WITH_NAMES.join('|')})
      agents=(\${(f)"$(fleet list --names 2>/dev/null)"})
      _describe agent agents ;;
    *) _files ;;
  esac
}
compdef _fleet fleet
`;
}

function fish(commands: readonly Known[]): string {
  const lines = commands.map(
    ({ name, summary }) => `complete -c fleet -f -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
  );
  const agents = `complete -c fleet -f -n '__fish_seen_subcommand_from ${WITH_NAMES.join(' ')}' -a '(fleet list --names 2>/dev/null)'`;
  return `${[...lines, agents].join('\n')}\n`;
}

function names(commands: readonly Known[]): string {
  return commands.map(({ name }) => name).join(' ');
}

/** Inside single quotes of a shell; a colon would end a name in zsh. */
function quoted(summary: string): string {
  return summary.replaceAll("'", '').replaceAll(':', '');
}
