import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent, wholeNumber } from '../calls/command.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { table, type Column } from '../output/table.ts';
import { tableTime } from '../output/times.ts';

type AuditRow = ReturnType<OpenedFleet['ledger']['auditRows']>[number];

interface AuditOptions {
  readonly limit?: number;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 50;
const MOST = 100_000;

export function auditCommand(command: Command, cli: Cli): void {
  command
    .description('Show the audit log: every requested change, with the user, time, interface and outcome.')
    .option(
      '--limit <n>',
      `number of entries, the newest ones (default: ${DEFAULT_LIMIT})`,
      wholeNumber('--limit'),
    );
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
    { header: 'TIME', value: (row) => tableTime(row.at, now) },
    { header: 'WHO', value: (row) => row.principal },
    { header: 'VIA', value: (row) => row.door },
    { header: 'OPERATION', value: (row) => row.operation },
    {
      header: 'OUTCOME',
      value: (row) => row.outcome,
      painted: (text, row, paint) => paint(row.outcome === 'ok' ? 'green' : 'red', text),
    },
    { header: 'INPUT', value: (row) => JSON.stringify(row.input) },
  ];
}
