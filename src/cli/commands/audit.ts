import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import type { AuditRow } from '../../store/call-ledger.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent, wholeNumber } from '../command.ts';
import { openOwned } from '../run-operation.ts';
import { table, type Column } from '../table.ts';
import { localTime } from '../times.ts';

interface AuditOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 50;
const MOST = 100_000;

export function auditCommand(command: Command, cli: Cli): void {
  command
    .description('Show every change that was asked for: who, what, when, by which door, and what came of it.')
    .option('--limit <n>', `how many, the newest (default: ${DEFAULT_LIMIT})`, wholeNumber('--limit'));
  examples(jsonOption(command), [
    ['fleet audit', 'the newest changes, newest last'],
    ['fleet audit --limit 1000 --json', '{"rows": […]}, newest first'],
  ]);
  command.action(async ({ limit = DEFAULT_LIMIT, json }: AuditOptions) => {
    refuseInsideAgent(cli, 'fleet audit');
    if (!(limit >= 1 && limit <= MOST)) {
      throw new FleetError('INVALID_INPUT', `--limit is 1 to ${MOST}; got ${limit}.`, { field: 'limit' });
    }
    await using opened = await openOwned(cli);
    const rows = opened.ledger.auditRows(limit);
    if (json === true) return cli.out.json({ rows });
    if (rows.length === 0) return cli.err.line('Nothing was changed yet.');
    cli.out.write(table(rows.toReversed(), auditColumns(Date.now()), cli.out));
  });
}

export function auditColumns(now: number): readonly Column<AuditRow>[] {
  return [
    { header: 'TIME', value: (row) => localTime(row.at, now) },
    { header: 'WHO', value: (row) => row.principal },
    { header: 'DOOR', value: (row) => row.door },
    { header: 'OPERATION', value: (row) => row.operation },
    {
      header: 'OUTCOME',
      value: (row) => row.outcome,
      painted: (text, row, paint) => paint(row.outcome === 'ok' ? 'green' : 'red', text),
    },
    { header: 'INPUT', value: (row) => JSON.stringify(row.input) },
  ];
}
