import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { eachAgentCommand } from '../calls/each-agent.ts';

export function restartCommand(command: Command, cli: Cli): void {
  command.description('Restart agents in any state, with the current environment. Queued tasks stay queued.');
  eachAgentCommand(command, cli, (session, name) => session.call('restart_agent', { agent_name: name }));
  examples(command, [['fleet restart sony', 'a running task ends as interrupted']]);
}
