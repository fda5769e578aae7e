import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples } from '../calls/command.ts';
import { eachAgentCommand } from '../calls/each-agent.ts';

export function ackCommand(command: Command, cli: Cli): void {
  command.description('Mark the alerts of agents as seen.');
  eachAgentCommand(command, cli, (session, name) => session.call('acknowledge_agent', { agent_name: name }));
  examples(command, [['fleet ack sony', 'it no longer needs attention; a failed task stays visible']]);
}
