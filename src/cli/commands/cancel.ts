import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { findTask } from '../calls/find-task.ts';
import { printable } from '../output/printable.ts';
import { openSession } from '../calls/run-operation.ts';

export function cancelCommand(command: Command, cli: Cli): void {
  command
    .description("Cancel an agent's running task, or one queued task. Other queued tasks are not affected.")
    .argument('<name>', 'name of the agent')
    .argument(
      '[task_id]',
      'id of a queued task, or its beginning, see fleet history (default: the running task)',
    );
  examples(jsonOption(command), [
    ['fleet cancel sony', 'cancel the running task'],
    ['fleet cancel sony 3f0c9a12', 'remove a task from the queue'],
  ]);
  command.action(async (name: string, task: string | undefined, options: { readonly json?: boolean }) => {
    await using session = await openSession(cli);
    const task_id = task === undefined ? undefined : await findTask(session, name, task);
    const answer = await session.call('cancel_agent_task', { agent_name: name, task_id });
    if (options.json === true) cli.out.json(answer);
    else cli.out.line(printable(answer.message));
  });
}
