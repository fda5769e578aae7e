import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { eachAgentCommand } from '../each-agent.ts';

export function restartCommand(command: Command, cli: Cli): void {
  command.description('Restart agents from any state, with a fresh environment. Queued tasks stay queued.');
  eachAgentCommand(command, cli, (session, name) => session.call('restart_agent', { agent_name: name }));
  examples(command, [['fleet restart sony', 'a running task ends as interrupted']]);
}
