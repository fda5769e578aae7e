import type { Command } from 'commander';
import { examples, jsonOption, refuseInsideAgent, wholeNumber } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

interface ForkFlags {
  readonly checkpoint?: number;
  readonly name?: string;
  readonly role?: string;
  readonly json?: boolean;
}

export function forkCommand(command: Command, cli: Cli): void {
  command
    .description('Create a new agent from a checkpoint of another one, which stays as it is.')
    .argument('<agent>', 'the agent whose checkpoint it starts from')
    .argument('[task]', 'first task of the new agent (default: the spec of the other one)')
    .option('--checkpoint <n>', 'number of the checkpoint (default: the newest)', wholeNumber('--checkpoint'))
    .option('--name <name>', 'name of the new agent (default: one is chosen)')
    .option('--role <role>', 'role of the new agent (default: the same)');
  examples(jsonOption(command), [
    ["fleet fork sony 'Try it with a cache'", 'from the newest checkpoint'],
    ['fleet fork sony --checkpoint 2 --name papi', 'from an older one'],
  ]);
  command.action(async (agent: string, task: string | undefined, flags: ForkFlags) => {
    refuseInsideAgent(cli, 'fleet fork');
    const { json, ...options } = flags;
    const answer = await runOperation(cli, 'fork_agent', { agent_name: agent, task, ...options });
    if (json === true) return cli.out.json(answer);
    cli.out.line(printableLine(answer.message));
  });
}
