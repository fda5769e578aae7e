import type { Command } from 'commander';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

interface UpdateFlags {
  readonly rebase?: boolean;
  readonly assign?: boolean;
  readonly json?: boolean;
}

export function updateCommand(command: Command, cli: Cli): void {
  command
    .description("Bring newer commits of the base into an agent's branch. A conflict changes nothing.")
    .argument('<name>', 'name of the agent')
    .option('--rebase', 'rebase the branch (default: merge)')
    .option('--assign', 'give a conflict to the agent as its next task');
  examples(jsonOption(command), [
    ['fleet update sony', 'merge its base into its branch'],
    ['fleet update sony --assign', 'the agent resolves conflicts itself'],
  ]);
  command.action(async (name: string, flags: UpdateFlags) => {
    refuseInsideAgent(cli, 'fleet update');
    const answer = await runOperation(cli, 'update_agent', {
      agent_name: name,
      strategy: flags.rebase === true ? 'rebase' : undefined,
      assign_to_agent: flags.assign,
    });
    if (flags.json === true) return cli.out.json(answer);
    cli.out.line(printableLine(answer.message));
  });
}
