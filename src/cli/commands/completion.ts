import type { Command } from 'commander';
import { FleetError, quote } from '../../domain/errors.ts';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { completionScript, SHELLS } from '../completion-script.ts';

export function completionCommand(command: Command, cli: Cli): void {
  command
    .description('Print a script that completes commands and names of agents.')
    .argument('<shell>', 'bash, zsh or fish');
  examples(command, [
    ['source <(fleet completion bash)', 'bash, now; put the line into ~/.bashrc to keep it'],
    ['source <(fleet completion zsh)', 'zsh'],
    ['fleet completion fish | source', 'fish'],
  ]);
  command.action(async (name: string) => {
    const shell = SHELLS.find((known) => known === name);
    if (shell === undefined) {
      throw new FleetError(
        'INVALID_INPUT',
        `There is no completion for ${quote(name)}: say ${SHELLS.join(', ')}.`,
        {
          field: 'shell',
        },
      );
    }
    const { COMMANDS } = await import('../program.ts');
    cli.out.write(completionScript(shell, COMMANDS));
  });
}
