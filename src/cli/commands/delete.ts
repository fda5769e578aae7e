import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { eachAgentCommand } from '../each-agent.ts';
import { printableLine } from '../printable.ts';

export function deleteCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Delete agents and their workspaces, also while they are busy. Work that is not pushed is kept on a branch.',
    )
    .option('--discard-work', 'delete even work that could not be kept');
  eachAgentCommand(command, cli, (session, name, options) =>
    session.call(
      'delete_agent',
      { agent_name: name, discard_work: options.discardWork },
      {
        progress: (message) => {
          if (cli.err.isTerminal) cli.err.line(printableLine(message));
        },
      },
    ),
  );
  examples(command, [
    ['fleet delete sony', 'its unpushed work is kept; the answer says where'],
    ['fleet delete sony papi', 'several'],
  ]);
}
