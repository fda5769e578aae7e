import type { Command } from 'commander';
import type { HistoryRow } from '../../domain/task.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, wholeNumber } from '../command.ts';
import type { Style } from '../output.ts';
import { pageHint } from '../page-hint.ts';
import { runOperation } from '../run-operation.ts';
import { table, type Column } from '../table.ts';
import { duration, localTime } from '../times.ts';

interface HistoryOptions {
  readonly page?: number;
  readonly pageSize?: number;
  readonly json?: boolean;
}

export function historyCommand(command: Command, cli: Cli): void {
  command
    .description("Show an agent's tasks and reports, newest first.")
    .argument('<name>', 'name of the agent')
    .option('--page <n>', 'page number, from 1', wholeNumber('--page'))
    .option('--page-size <n>', 'entries a page, 1 to 100 (default: 20)', wholeNumber('--page-size'));
  examples(jsonOption(command), [
    ['fleet history sony', 'the newest 20'],
    ['fleet history sony --page 2', 'the 20 before them'],
  ]);
  command.action(async (name: string, { page, pageSize, json }: HistoryOptions) => {
    const answer = await runOperation(cli, 'show_agent_task_history', {
      agent_name: name,
      page,
      page_size: pageSize,
    });
    if (json === true) return cli.out.json(answer);
    if (answer.tasks.length > 0) cli.out.write(table(answer.tasks, historyColumns(Date.now()), cli.out));
    pageHint(cli, answer, `fleet history ${answer.agent_name}`);
  });
}

export function historyColumns(now: number): readonly Column<HistoryRow>[] {
  return [
    { header: 'CREATED', value: (row) => localTime(row.created_at, now) },
    { header: 'KIND', value: (row) => row.kind },
    {
      header: 'STATE',
      value: (row) => (row.needs_user_attention ? `${row.state} !` : row.state),
      painted: (text, row, paint) => paint(STATE_STYLES[row.state], text),
    },
    { header: 'TOOK', value: took },
    { header: 'FROM', value: (row) => row.source },
    { header: 'ID', value: (row) => row.id },
    { header: 'MESSAGE', value: (row) => (row.uri === null ? row.message : `${row.message} (${row.uri})`) },
  ];
}

const STATE_STYLES: Record<HistoryRow['state'], Style> = {
  queued: 'yellow',
  running: 'cyan',
  complete: 'green',
  failed: 'red',
  canceled: 'dim',
  interrupted: 'yellow',
};

function took(row: HistoryRow): string {
  if (row.kind === 'report' || row.finished_at === null) return '';
  return duration(Math.max(0, Date.parse(row.finished_at) - Date.parse(row.created_at)));
}
