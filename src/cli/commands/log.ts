import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { LogRow } from '../../domain/task.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, wholeNumber } from '../calls/command.ts';
import type { Paint } from '../output/output.ts';
import { pageHint } from '../output/page-hint.ts';
import { jsonText, printable } from '../output/printable.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import { localTime } from '../output/times.ts';

interface LogOptions {
  readonly page?: number;
  readonly pageSize?: number;
  readonly search?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const PAGE_SIZE = 20;
const FOLLOW_PAGE_SIZE = 100;
const LOOK_EVERY_MS = 300;

export function logCommand(command: Command, cli: Cli): void {
  command
    .description("Show the end of an agent's log, oldest first, like tail.")
    .argument('<name>', 'name of the agent')
    .option('--page <n>', 'page number; 1 is the newest', wholeNumber('--page'))
    .option(
      '--page-size <n>',
      `entries per page, 1 to 100 (default: ${PAGE_SIZE})`,
      wholeNumber('--page-size'),
    )
    .option('--search <text>', 'only entries that contain this text, in any case')
    .option('-f, --follow', 'print new entries as they arrive, until Ctrl-C');
  examples(jsonOption(command), [
    ['fleet log sony', 'the last 20 entries'],
    ['fleet log sony --follow', 'and new entries as they arrive'],
    ['fleet log sony --page 2 --page-size 100', 'the 100 before the last 100'],
    ['fleet log sony --search error', 'the newest 20 entries with that word'],
    ['fleet log sony --follow --json', 'one line of JSON for each entry'],
  ]);
  command.action(async (name: string, options: LogOptions) => {
    await using session = await openSession(cli);
    const page_size = options.pageSize ?? PAGE_SIZE;
    const answer = await session.call('show_agent_log', {
      agent_name: name,
      page: options.page,
      page_size,
      search: options.search,
    });
    const print = options.json === true ? printJsonLine : printLine;
    if (options.follow === true) {
      for (const row of answer.logs.toReversed()) print(cli, row);
      return await follow(session, {
        cli,
        name: answer.agent_name,
        last: answer.logs[0]?.id ?? 0,
        print,
        search: options.search,
      });
    }
    if (options.json === true) return cli.out.json(answer);
    for (const row of answer.logs.toReversed()) print(cli, row);
    const { search } = options;
    if (search !== undefined && answer.total_count === 0)
      return cli.err.line(`No entry of the log contains ${quote(search)}.`);
    const command = `fleet log ${answer.agent_name}${search === undefined ? '' : ` --search ${word(search)}`}`;
    if (options.page !== undefined || answer.total_count === 0) pageHint(cli, answer, command);
  });
}

export function logLine(row: LogRow, now: number, paint: Paint): string {
  const head = `${localTime(row.timestamp, now)} ${row.level.padEnd(5)} ${row.type.padEnd(6)} `;
  const text = printable(row.message.replace(/\n+$/, '')).replaceAll('\n', `\n${' '.repeat(head.length)}`);
  return `${paint('dim', head)}${painted(row, text, paint)}`;
}

function painted({ level }: LogRow, text: string, paint: Paint): string {
  switch (level) {
    case 'DEBUG':
      return paint('dim', text);
    case 'INFO':
      return text;
    case 'WARN':
      return paint('yellow', text);
    case 'ERROR':
      return paint('red', text);
  }
}

interface Following {
  readonly cli: Cli;
  readonly name: string;
  readonly last: number;
  readonly search: string | undefined;
  readonly print: (cli: Cli, row: LogRow) => void;
}

async function follow(session: Session, { cli, name, last: from, print, search }: Following): Promise<void> {
  const signal = cli.untilStopped();
  let last = from;
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const rows = await newRows(session, name, { last, search });
    if (rows === 'gone') return cli.err.line(`fleet: the agent "${name}" was deleted.`);
    for (const row of rows) print(cli, row);
    last = rows.at(-1)?.id ?? last;
  }
}

/** As a shell reads it back. */
function word(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Entries after one that was seen, oldest first. Pages shift while new ones come in, so ids decide. */
export async function newRows(
  session: Pick<Session, 'call'>,
  name: string,
  { last, search }: { readonly last: number; readonly search?: string | undefined },
): Promise<LogRow[] | 'gone'> {
  const found = new Map<number, LogRow>();
  try {
    for (let page = 1; ; page++) {
      const answer = await session.call('show_agent_log', {
        agent_name: name,
        page,
        page_size: FOLLOW_PAGE_SIZE,
        search,
      });
      for (const row of answer.logs) if (row.id > last) found.set(row.id, row);
      if (!answer.has_next_page || answer.logs.some((row) => row.id <= last)) break;
    }
  } catch (thrown) {
    if (thrown instanceof FleetError && thrown.code === 'NOT_FOUND') return 'gone';
    throw thrown;
  }
  return [...found.values()].toSorted((a, b) => a.id - b.id);
}

function printLine(cli: Cli, row: LogRow): void {
  cli.out.line(logLine(row, Date.now(), cli.out.paint));
}

function printJsonLine(cli: Cli, row: LogRow): void {
  cli.out.line(jsonText(row));
}
