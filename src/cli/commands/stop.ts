import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { eachAgentCommand } from '../calls/each-agent.ts';

export function stopCommand(command: Command, cli: Cli): void {
  command.description(
    'Stop agents without deleting them. fleet restart starts them again. Queued tasks stay queued.',
  );
  eachAgentCommand(command, cli, (session, name) => session.call('stop_agent', { agent_name: name }));
  examples(command, [['fleet stop sony papi', 'running tasks end as interrupted']]);
}
