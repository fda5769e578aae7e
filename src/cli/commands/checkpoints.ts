import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { shortId } from '../../domain/values/short-id.ts';
import { table, type Column } from '../output/table.ts';
import { ago } from '../output/times.ts';

type Row = Answer<'list_checkpoints'>['checkpoints'][number];

const MOST_ROWS = 100;

export function checkpointsCommand(command: Command, cli: Cli): void {
  command
    .description('List the checkpoints of an agent: the state of its files at the end of each task.')
    .argument('<name>', 'name of the agent');
  examples(jsonOption(command), [
    ['fleet checkpoints sony', 'newest first'],
    ['fleet diff sony --since 2', 'what changed since checkpoint 2'],
    ['fleet fork sony --checkpoint 2', 'a new agent from it'],
  ]);
  command.action(async (name: string, options: { json?: boolean }) => {
    const answer = await runOperation(cli, 'list_checkpoints', { agent_name: name, page_size: MOST_ROWS });
    if (options.json === true) return cli.out.json(answer);
    if (answer.checkpoints.length === 0) return cli.out.line(`${answer.agent_name} has no checkpoint yet.`);
    const now = Date.now();
    const columns: readonly Column<Row>[] = [
      { header: 'CHECKPOINT', value: ({ number }) => String(number) },
      { header: 'WHEN', value: ({ created_at }) => ago(created_at, now) },
      { header: 'TASK', value: ({ task_id }) => (task_id === null ? '' : shortId(task_id)) },
      { header: 'CHANGED', value: (row) => `${row.files} files, +${row.insertions} -${row.deletions}` },
      { header: 'LEFT OUT', value: ({ left_out }) => left_out.join(', ') },
    ];
    cli.out.write(table(answer.checkpoints, columns, cli.out));
  });
}
