import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { examples, jsonOption } from '../command.ts';
import { printable } from '../printable.ts';
import { runOperation } from '../run-operation.ts';

export function cancelCommand(command: Command, cli: Cli): void {
  command
    .description("Cancel an agent's running task (queued ones go on), or one queued task.")
    .argument('<name>', 'name of the agent')
    .argument('[task_id]', 'a queued task, see fleet history (default: the running one)');
  examples(jsonOption(command), [
    ['fleet cancel sony', 'interrupt what it does now'],
    ['fleet cancel sony 3f0c…', 'take a task out of its queue'],
  ]);
  command.action(async (name: string, task: string | undefined, options: { readonly json?: boolean }) => {
    const answer = await runOperation(cli, 'cancel_agent_task', { agent_name: name, task_id: task });
    if (options.json === true) cli.out.json(answer);
    else cli.out.line(printable(answer.message));
  });
}
