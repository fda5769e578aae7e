import type { Command } from 'commander';
import { deleteKept, restoreKept } from '../../backends/local/kept-branches.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { parseAge } from '../age.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { chooseKept } from '../kept-choice.ts';
import { keptEverywhere, type KeptInProject } from '../kept-repositories.ts';
import { printableLine } from '../printable.ts';
import { openOwned } from '../run-operation.ts';
import { refuseUnknownSubcommand, subcommand } from '../subcommand.ts';
import { table, type Column } from '../table.ts';
import { ago } from '../times.ts';

interface JsonOption {
  readonly json?: boolean;
}

export function keptCommand(command: Command, cli: Cli): void {
  command.description(
    'Work of deleted agents that was pushed nowhere: it is kept on branches of the repositories.',
  );
  examples(jsonOption(command), [
    ['fleet kept', 'the branches, newest first'],
    ['fleet kept restore sony', 'a branch restored/sony to go on with'],
    ['fleet kept prune --older-than 30d', 'delete the old ones'],
  ]);
  const list = async (options: JsonOption): Promise<void> => {
    refuseInsideAgent(cli, 'fleet kept');
    await using opened = await openOwned(cli);
    showList(cli, await lookUp(cli, opened), options);
  };
  command.action(async (options: JsonOption) => {
    refuseUnknownSubcommand(command);
    await list(options);
  });
  const listing = subcommand(command, 'list', 'List the kept branches, newest first.');
  examples(jsonOption(listing), [['fleet kept list --json', 'for a program']]).action(list);
  restoreCommand(subcommand(command, 'restore', 'Make a branch to go on with from what was kept.'), cli);
  pruneCommand(subcommand(command, 'prune', 'Delete kept branches that are older than a time.'), cli);
}

function restoreCommand(command: Command, cli: Cli): void {
  command
    .argument('<name>', 'name of the deleted agent, or the kept branch')
    .option('--as <branch>', 'name of the new branch (default: restored/<name>); others begin with it');
  examples(jsonOption(command), [['fleet kept restore sony --as fix-login', 'a branch of that name']]);
  command.action(async (wanted: string, options: JsonOption & { readonly as?: string }) => {
    refuseInsideAgent(cli, 'fleet kept');
    await using opened = await openOwned(cli);
    const [kept, ...more] = chooseKept(await lookUp(cli, opened), wanted);
    const branch = options.as ?? `restored/${kept.agent_name}`;
    const also = more.map((each) => ({ kept: each, branch: `${branch}-${each.part}` }));
    const change = { operation: 'restore_kept', input: { from: kept.branch, branch }, env: cli.env };
    await audited(opened, change, () => restoreKept([{ kept, branch }, ...also]));
    const { repository, commit, projects } = kept;
    if (options.json === true) {
      const others = also.map((each) => ({
        branch: each.branch,
        commit: each.kept.commit,
        from: each.kept.branch,
      }));
      return cli.out.json({ branch, commit, repository, from: kept.branch, projects, also: others });
    }
    cli.out.line(`Made the branch ${branch} at ${commit.slice(0, 12)} in ${printableLine(repository)}.`);
    for (const each of also) cli.out.line(`Made the branch ${each.branch} as well.`);
    cli.out.line(`  git -C ${shellWord(repository)} log -p ${shellWord(branch)}   # look at it`);
    cli.out.line(
      `  fleet create ${shellWord(projects[0] ?? 'PROJECT')} --branch ${shellWord(branch)} TASK   # go on with it`,
    );
  });
}

interface PruneOptions extends JsonOption {
  readonly olderThan: string;
  readonly yes?: boolean;
}

function pruneCommand(command: Command, cli: Cli): void {
  command
    .requiredOption('--older-than <age>', 'what was kept longer ago, such as 30d')
    .option('-y, --yes', 'do not ask');
  examples(jsonOption(command), [['fleet kept prune --older-than 30d --yes', 'in a script']]);
  command.action(async (options: PruneOptions) => {
    refuseInsideAgent(cli, 'fleet kept');
    const before = Date.now() - parseAge(options.olderThan);
    await using opened = await openOwned(cli);
    const old = (await lookUp(cli, opened)).filter(({ kept_at }) => Date.parse(kept_at) < before);
    if (old.length === 0) return showPruned(cli, [], options);
    const question = `Delete ${old.length} kept branches, and with them the only copy of that work?`;
    if (!(await confirmed(cli, question, options.yes === true))) {
      cli.exitCode = 1;
      return cli.err.line('Nothing was deleted.');
    }
    const input = { older_than: options.olderThan, branches: old.map(({ branch }) => branch) };
    const change = { operation: 'prune_kept', input, env: cli.env };
    const results = await audited(opened, change, () => deleteEach(old));
    showPruned(cli, results, options);
  });
}

interface Pruned {
  readonly branch: string;
  readonly problem?: string;
}

async function deleteEach(old: readonly KeptInProject[]): Promise<readonly Pruned[]> {
  const results: Pruned[] = [];
  for (const kept of old) {
    const problem = await deleteKept(kept);
    results.push({ branch: kept.branch, ...(problem === undefined ? {} : { problem }) });
  }
  return results;
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

async function lookUp(cli: Cli, opened: OpenedFleet): Promise<readonly KeptInProject[]> {
  const { kept, problems } = await keptEverywhere((await opened.config()).current().config);
  for (const problem of problems) cli.err.line(`fleet: ${printableLine(problem)}`);
  return kept;
}

function showList(cli: Cli, kept: readonly KeptInProject[], { json }: JsonOption): void {
  if (json === true) return cli.out.json({ kept, total_count: kept.length });
  if (kept.length === 0) return cli.err.line('Nothing is kept.');
  const now = Date.now();
  const columns: readonly Column<KeptInProject>[] = [
    { header: 'BRANCH', value: (each) => each.branch },
    { header: 'PROJECT', value: (each) => each.projects.join(', ') },
    { header: 'AGE', value: (each) => ago(each.kept_at, now) },
    { header: 'LAST COMMIT', value: (each) => each.subject },
  ];
  cli.out.write(table(kept, columns, cli.out));
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
