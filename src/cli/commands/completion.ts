import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { commandTree } from '../completion/command-tree.ts';
import { completionScript, SHELLS } from '../completion/completion-script.ts';

export function completionCommand(command: Command, cli: Cli): void {
  command
    .description('Print a script that completes commands, options, and the names of agents and projects.')
    .argument('<shell>', 'bash, zsh or fish');
  examples(command, [
    ['source <(fleet completion bash)', 'bash; put the line into ~/.bashrc to keep it'],
    ['source <(fleet completion zsh)', 'zsh'],
    ['fleet completion fish | source', 'fish'],
  ]);
  command.action(async (name: string) => {
    const shell = SHELLS.find((known) => known === name);
    if (shell === undefined) {
      throw new FleetError(
        'INVALID_INPUT',
        `There is no completion for ${quote(name)}. Name one of ${SHELLS.join(', ')}.`,
        {
          field: 'shell',
        },
      );
    }
    const { COMMANDS } = await import('./all-commands.ts');
    cli.out.write(completionScript(shell, await commandTree(COMMANDS, cli)));
  });
}
