import type { Command } from 'commander';
import type { KeptAgent } from '../../domain/kept-agent.ts';
import { oldKept, pruneKept, type Pruned } from '../../upkeep/gc/prune-kept.ts';
import { parseAge } from '../output/age.ts';
import type { Answer } from '../../operations/table.ts';
import { audited } from '../calls/audited.ts';
import { bytesText } from '../../domain/values/bytes-text.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { confirmed } from '../calls/confirm.ts';
import { chooseKept } from '../calls/kept-choice.ts';
import { printableLine } from '../output/printable.ts';
import { openSession, runOperation } from '../calls/run-operation.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { table, type Column } from '../output/table.ts';
import { ago } from '../output/times.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function keptCommand(command: Command, cli: Cli): void {
  command.description(
    'List deleted agents whose workspace is in the archive, or whose work is on a branch, and bring them back.',
  );
  examples(jsonOption(command), [
    ['fleet kept', 'deleted agents, newest first'],
    ['fleet kept restore sony', 'bring the agent back with its work and its history'],
    ['fleet kept prune --older-than 30d', 'delete old kept branches'],
  ]);
  const list = async (options: JsonOption): Promise<void> => {
    refuseInsideAgent(cli, 'fleet kept');
    showList(cli, await runOperation(cli, 'list_kept', {}), options);
  };
  command.action(async (options: JsonOption) => {
    refuseUnknownSubcommand(command);
    await list(options);
  });
  const listing = subcommand(command, 'list', 'List what is kept of deleted agents, newest first.');
  examples(jsonOption(listing), [['fleet kept list --json', 'for a program']]).action(list);
  restoreCommand(subcommand(command, 'restore', 'Bring a deleted agent back.'), cli);
  pruneCommand(subcommand(command, 'prune', 'Delete old kept branches.'), cli);
}

function restoreCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the deleted agent, its workspace id, or its kept branch')
    .option('--as <name>', 'a new name for the agent (default: the name that it had)');
  examples(jsonOption(command), [
    ['fleet kept restore sony', 'the agent is stopped; fleet restart sony starts it'],
    ['fleet kept restore sony --as papi', 'when another agent is called sony'],
  ]);
  command.action(async (wanted: string, options: JsonOption & { readonly as?: string }) => {
    refuseInsideAgent(cli, 'fleet kept');
    await using session = await openSession(cli);
    const { kept } = await session.call('list_kept', {});
    const { workspace_id } = chooseKept(kept, wanted);
    const answer = await session.call('restore_agent', { workspace_id, name: options.as });
    if (options.json === true) return cli.out.json(answer);
    const { name } = answer.agent;
    cli.out.line(`Agent '${name}' is restored. fleet restart ${name} starts it.`);
  });
}

interface PruneOptions extends JsonOption {
  readonly olderThan: string;
  readonly yes?: boolean;
}

function pruneCommand(command: Command, cli: Cli): void {
  command
    .requiredOption('--older-than <age>', 'delete branches that are older than this, such as 30d')
    .option('-y, --yes', 'do not ask for confirmation');
  examples(jsonOption(command), [
    ['fleet kept prune --older-than 30d --yes', 'without a question, for a script'],
  ]);
  command.action(async (options: PruneOptions) => {
    refuseInsideAgent(cli, 'fleet kept');
    const before = Date.now() - parseAge(options.olderThan);
    await using opened = await openOwned(cli);
    const { old, problems } = await oldKept(opened, before);
    for (const problem of problems) cli.err.line(`fleet: ${printableLine(problem)}`);
    if (old.length === 0) return showPruned(cli, [], options);
    const question = `Delete ${old.length} kept branches, and with them the only copy of that work?`;
    if (!(await confirmed(cli, question, options.yes === true))) {
      cli.exitCode = 1;
      return cli.err.line('Nothing was deleted.');
    }
    const input = { older_than: options.olderThan, branches: old.map(({ branch }) => branch) };
    const change = { operation: 'prune_kept', input, env: cli.env };
    const results = await audited(opened, change, () => pruneKept(old));
    showPruned(cli, results, options);
  });
}

function showPruned(cli: Cli, results: readonly Pruned[], { json }: JsonOption): void {
  const left = results.filter(({ problem }) => problem !== undefined);
  const deleted = results.filter(({ problem }) => problem === undefined).map(({ branch }) => branch);
  if (left.length > 0) cli.exitCode = 1;
  if (json === true) return cli.out.json({ deleted, left });
  for (const branch of deleted) cli.out.line(`Deleted ${branch}`);
  for (const { branch, problem } of left)
    cli.err.line(`fleet: ${branch} stays: ${printableLine(problem ?? '')}`);
  if (results.length === 0) cli.err.line('No kept branch is that old.');
}

function showList(cli: Cli, answer: Answer<'list_kept'>, { json }: JsonOption): void {
  if (json === true) return cli.out.json(answer);
  for (const problem of answer.problems ?? []) cli.err.line(`fleet: ${printableLine(problem)}`);
  if (answer.kept.length === 0) return cli.err.line('Nothing is kept.');
  const now = Date.now();
  const columns: readonly Column<KeptAgent>[] = [
    { header: 'NAME', value: (each) => each.agent_name },
    { header: 'PROJECT', value: (each) => each.project ?? '' },
    { header: 'DELETED', value: (each) => ago(each.deleted_at, now) },
    { header: 'SIZE', value: (each) => (each.bytes === null ? 'branch only' : bytesText(each.bytes)) },
    { header: 'BRANCH', value: (each) => each.branch ?? '' },
  ];
  cli.out.write(table(answer.kept, columns, cli.out));
}
