import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { eachAgentCommand } from '../each-agent.ts';

export function stopCommand(command: Command, cli: Cli): void {
  command.description(
    'Stop agents without deleting them; fleet restart brings them back. Queued tasks stay queued.',
  );
  eachAgentCommand(command, cli, (session, name) => session.call('stop_agent', { agent_name: name }));
  examples(command, [['fleet stop sony papi', 'running tasks end as interrupted']]);
}
