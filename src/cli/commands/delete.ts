import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { eachAgentCommand } from '../calls/each-agent.ts';
import { printableLine } from '../output/printable.ts';

export function deleteCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Delete agents and their workspaces, even if they are busy. Work that exists nowhere else is kept on a branch.',
    )
    .option('--discard-work', 'delete the agent even if its work cannot be kept');
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
    ['fleet delete sony', 'work that exists nowhere else is kept; the output says where'],
    ['fleet delete sony papi', 'several agents'],
  ]);
}
