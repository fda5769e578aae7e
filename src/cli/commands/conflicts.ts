import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

export function conflictsCommand(command: Command, cli: Cli): void {
  command
    .description('List the agents whose branches conflict with their base or with each other.')
    .argument('[names...]', 'only these agents')
    .option('--project <name>', 'only agents of this project');
  examples(jsonOption(command), [
    ['fleet conflicts', 'all agents, as a matrix with the files'],
    ['fleet conflicts sony papi', 'only between these two, and with their base'],
  ]);
  command.action(async (names: readonly string[], options: { project?: string; json?: boolean }) => {
    const answer = await runOperation(cli, 'list_conflicts', {
      project: options.project,
      agent_names: names.length === 0 ? undefined : [...names],
    });
    if (options.json === true) return cli.out.json(answer);
    cli.out.write(conflictText(answer));
  });
}

const BASE = 'base';

/** A matrix of the agents in conflict, then the files of each pair. */
export function conflictText({ conflicts, left_out }: Answer<'list_conflicts'>): string {
  const left = left_out.length === 0 ? '' : `Left out: ${left_out.join(', ')}\n`;
  if (conflicts.length === 0) return `No conflicts.\n${left}`;
  const names = [
    ...new Set(conflicts.flatMap(({ agent, other }) => [agent, ...(other === null ? [] : [other])])),
  ];
  const columns = [...names, ...(conflicts.some(({ other }) => other === null) ? [BASE] : [])];
  const meets = (one: string, other: string): boolean =>
    conflicts.some(
      (each) =>
        (each.agent === one && (each.other ?? BASE) === other) ||
        (each.agent === other && each.other === one),
    );
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.map(
    (row) =>
      `${row.padEnd(width)}  ${columns.map((column) => (meets(row, column) ? 'x' : '.').padEnd(column.length)).join('  ')}`,
  );
  const pairs = conflicts.map(
    ({ agent, other, paths }) => `${agent} and ${other ?? 'its base'}: ${printableLine(paths.join(', '))}`,
  );
  return (
    [`${''.padEnd(width)}  ${columns.join('  ')}`, ...rows, '', ...pairs]
      .map((line) => `${line.trimEnd()}\n`)
      .join('') + left
  );
}
