import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { table, type Column } from '../output/table.ts';
import { inWords } from '../output/times.ts';

type Row = Answer<'compare_agents'>['ranking'][number];

const COLUMNS: readonly Column<Row>[] = [
  { header: 'AGENT', value: ({ agent_name }) => agent_name },
  { header: 'CHECKS', value: ({ checks }) => checks?.replace('_', ' ') ?? '-' },
  { header: 'CHANGED', value: (row) => `${row.files} files, +${row.insertions} -${row.deletions}` },
  { header: 'TOOK', value: ({ took_ms }) => inWords(took_ms) },
  { header: 'COST', value: ({ cost }) => (cost === null ? '-' : cost.toFixed(2)) },
];

export function compareCommand(command: Command, cli: Cli): void {
  command
    .description('Rank agents that work on the same task: by checks, size of the change, time and cost.')
    .argument('<names...>', 'names of the agents');
  examples(jsonOption(command), [['fleet compare sony papi', 'the best one first']]);
  command.action(async (names: readonly string[], options: { json?: boolean }) => {
    const answer = await runOperation(cli, 'compare_agents', { agent_names: [...names] });
    if (options.json === true) return cli.out.json(answer);
    cli.out.write(table(answer.ranking, COLUMNS, cli.out));
  });
}
