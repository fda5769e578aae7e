import type { Command } from 'commander';
import { briefResult } from '../../domain/task-result.ts';
import type { HistoryRow } from '../../domain/task.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, wholeNumber } from '../calls/command.ts';
import type { Output, Style } from '../output/output.ts';
import { pageHint } from '../output/page-hint.ts';
import { runOperation } from '../calls/run-operation.ts';
import { shortId } from '../../domain/values/short-id.ts';
import { table, type Column } from '../output/table.ts';
import { duration, tableTime } from '../output/times.ts';

interface HistoryOptions {
  readonly page?: number;
  readonly pageSize?: number;
  readonly json?: boolean;
}

export function historyCommand(command: Command, cli: Cli): void {
  command
    .description("Show an agent's tasks and reports with their results, newest first.")
    .argument('<name>', 'name of the agent')
    .option('--page <n>', 'page number, from 1', wholeNumber('--page'))
    .option('--page-size <n>', 'entries per page, 1 to 100 (default: 20)', wholeNumber('--page-size'));
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
    if (answer.tasks.length > 0) cli.out.write(historyTable(answer.tasks, Date.now(), cli.out));
    pageHint(cli, answer, `fleet history ${answer.agent_name}`);
  });
}

export function historyTable(
  rows: readonly HistoryRow[],
  now: number,
  { columns, paint }: Pick<Output, 'columns' | 'paint'>,
): string {
  return table(rows, historyColumns(now), {
    columns,
    paint,
    below: noteOf,
  });
}

/** The address of a report, or the result of a task in short. */
function noteOf({ uri, result, state }: HistoryRow): string {
  if (uri !== null || result === null) return uri ?? '';
  return briefResult(state === 'complete' ? state : 'failed', result);
}

function historyColumns(now: number): readonly Column<HistoryRow>[] {
  return [
    { header: 'CREATED', value: (row) => tableTime(row.created_at, now) },
    { header: 'KIND', value: (row) => row.kind, drop: 3 },
    {
      header: 'STATE',
      value: (row) => (row.needs_user_attention ? `${row.state} !` : row.state),
      painted: (text, row, paint) => paint(STATE_STYLES[row.state], text),
    },
    { header: 'TOOK', value: took, drop: 2 },
    { header: 'FROM', value: (row) => row.source, drop: 1 },
    { header: 'ID', value: (row) => shortId(row.id) },
    { header: 'MESSAGE', value: (row) => row.message },
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
  if (row.started_at === null || row.finished_at === null) return '';
  return duration(Math.max(0, Date.parse(row.finished_at) - Date.parse(row.started_at)));
}
