import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import type { WhenBusy } from '../../domain/task.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, usageError } from '../calls/command.ts';
import { followTask, printTaskEnd } from '../calls/follow-task.ts';
import { textOf } from '../calls/read-text.ts';
import { openSession } from '../calls/run-operation.ts';
import { selfName } from '../calls/self-name.ts';

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
    .description('Give an agent a task. A busy agent refuses it unless --queue or --interrupt is given.')
    .usage('[options] NAME TEXT…\n       fleet task --self [options] TEXT…')
    .argument('[words...]', 'name of the agent, then the task; "-" or a pipe reads the task from stdin')
    .option('--self', 'inside an agent: queue a task for the agent itself')
    .option('--queue', 'if the agent is busy, queue the task')
    .option('--interrupt', 'if the agent is busy, cancel its running task and start this one')
    .option('--key <key>', 'idempotency key: a repeated command with the same key does nothing')
    .option('--wait', 'wait until the task ends; exit 1 unless it completed');
  examples(jsonOption(command), [
    ['fleet task sony Now write the tests', 'refused if sony is busy'],
    ['fleet task sony --queue "Then the docs"', 'runs after the current task'],
    ['fleet task sony --wait - < task.md', 'read it from stdin, and wait until it ends'],
    ['fleet task --self "Look again tomorrow"', 'inside an agent'],
  ]);
  command.action(async (words: readonly string[], options: TaskOptions) => {
    const whenBusy = whenBusyOf(options);
    if (options.self === true && options.wait === true) {
      throw new FleetError(
        'INVALID_INPUT',
        'A task of --self runs after the current task, so --wait cannot wait for it.',
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
    printTaskEnd(
      cli,
      ended,
      options.json === true
        ? { ...answer, task: { ...answer.task, state: ended.state, result: ended.result } }
        : undefined,
    );
  });
}

export function whenBusyOf({ queue, interrupt }: TaskOptions): WhenBusy | undefined {
  if (queue === true && interrupt === true) {
    throw new FleetError('INVALID_INPUT', 'Use --queue or --interrupt, not both.', { field: 'when_busy' });
  }
  if (queue === true) return 'queue';
  return interrupt === true ? 'interrupt' : undefined;
}
