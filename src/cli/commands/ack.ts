import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples } from '../command.ts';
import { eachAgentCommand } from '../each-agent.ts';

export function ackCommand(command: Command, cli: Cli): void {
  command.description('Say that you have seen what agents needed attention for.');
  eachAgentCommand(command, cli, (session, name) => session.call('acknowledge_agent', { agent_name: name }));
  examples(command, [['fleet ack sony', 'the "!" in fleet list goes away']]);
}
