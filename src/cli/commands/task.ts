import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import type { WhenBusy } from '../../domain/task.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, usageError } from '../command.ts';
import { followTask, tellEnd } from '../follow-task.ts';
import { textOf } from '../read-text.ts';
import { openSession } from '../run-operation.ts';
import { selfName } from '../self-name.ts';

interface TaskOptions {
  readonly self?: boolean;
  readonly queue?: boolean;
  readonly interrupt?: boolean;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function taskCommand(command: Command, cli: Cli): void {
  command
    .description('Give an agent a task. A busy one refuses, unless told to queue it or to be interrupted.')
    .usage('[options] NAME TEXT…\n       fleet task --self [options] TEXT…')
    .argument('[words...]', 'name of the agent, then the task; "-" or piped: the task from stdin')
    .option('--self', 'inside an agent: queue a task for the agent itself')
    .option('--queue', 'when it is busy, queue the task')
    .option('--interrupt', 'when it is busy, cancel what it does and do this')
    .option('--key <key>', 'idempotency key: repeated with it, nothing is done twice')
    .option('--wait', 'wait until the task has ended; exit 1 when it did not complete');
  examples(jsonOption(command), [
    ['fleet task sony Now write the tests', 'refused when sony is busy'],
    ['fleet task sony --queue "Then the docs"', 'after what it does now'],
    ['fleet task sony --wait - < task.md', 'from stdin, and wait for its end'],
    ['fleet task --self "Look again tomorrow"', 'inside an agent'],
  ]);
  command.action(async (words: readonly string[], options: TaskOptions) => {
    const whenBusy = whenBusyOf(options);
    if (options.self === true && options.wait === true) {
      throw new FleetError(
        'INVALID_INPUT',
        'A task for itself runs after this one: it cannot be waited for.',
        {
          field: 'wait',
        },
      );
    }
    const name = options.self === true ? undefined : words[0];
    if (name === undefined && options.self !== true)
      throw usageError('The name of the agent is missing', command);
    const text = await textOf(cli, name === undefined ? words : words.slice(1), 'task_description');
    if (text === undefined) throw usageError('The task is missing', command);
    await using session = await openSession(cli);
    const answer = await session.call('start_agent_task', {
      agent_name: name ?? selfName(session, '--self'),
      task_description: text,
      when_busy: whenBusy,
      idempotency_key: options.key,
    });
    if (options.wait !== true)
      return options.json === true
        ? cli.out.json(answer)
        : cli.out.line(`${answer.message}: ${answer.task.id}`);
    if (options.json !== true) cli.out.line(`${answer.message}: ${answer.task.id}`);
    const ended = await followTask(cli, session, { agent: answer.agent_name, task: answer.task.id });
    tellEnd(
      cli,
      ended,
      options.json === true ? { ...answer, task: { ...answer.task, state: ended.state } } : undefined,
    );
  });
}

export function whenBusyOf({ queue, interrupt }: TaskOptions): WhenBusy | undefined {
  if (queue === true && interrupt === true) {
    throw new FleetError('INVALID_INPUT', 'Say --queue or --interrupt, not both.', { field: 'when_busy' });
  }
  if (queue === true) return 'queue';
  return interrupt === true ? 'interrupt' : undefined;
}
