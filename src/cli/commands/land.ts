import { Option, type Command } from 'commander';
import { ERROR_TABLE, FleetError } from '../../domain/values/errors.ts';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption, refuseInsideAgent, usageError } from '../calls/command.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { forPeople } from '../output/for-people.ts';
import { printableLine } from '../output/printable.ts';

/** Lines of what a failing check printed. */
const LINES_SHOWN = 20;

interface LandFlags {
  readonly squash?: boolean;
  readonly rebase?: boolean;
  readonly merge?: boolean;
  readonly into?: string;
  readonly head?: string;
  readonly message?: string;
  readonly includeUncommitted?: boolean;
  readonly leaveUncommitted?: boolean;
  readonly skipChecks?: boolean;
  readonly assign?: boolean;
  readonly delete?: boolean;
  readonly undo?: string;
  readonly json?: boolean;
}

export function landCommand(command: Command, cli: Cli): void {
  command
    .description(
      "Merge the work of agents into a branch of their project, in order. The project's checks run on the merged files first. Whatever fails changes nothing.",
    )
    .argument('[names...]', 'names of the agents')
    .addOption(new Option('--squash', 'one commit for each agent').conflicts(['rebase', 'merge']))
    .addOption(new Option('--rebase', 'each commit of an agent on top of the branch').conflicts('merge'))
    .option('--merge', 'a merge commit for each agent (default)')
    .option('--into <branch>', 'branch that moves (default: the base of the agent)')
    .option('--head <commit>', 'land only this commit, which you have reviewed')
    .option('-m, --message <text>', 'message of the commit')
    .addOption(new Option('--include-uncommitted', 'land uncommitted work too').conflicts('leaveUncommitted'))
    .option('--leave-uncommitted', 'land only commits, and leave uncommitted work where it is')
    .option('--skip-checks', 'run no checks')
    .option('--assign', 'give conflicts and failing checks to the agent as its next task')
    .option('--delete', 'delete the agents that have landed')
    .option('--undo <id>', 'take a landing back; its id is printed when it lands');
  examples(jsonOption(command), [
    ['fleet land sony', "merge sony's commits into its base"],
    ['fleet land sony papi --squash', 'one commit each, in this order; one that fails is left out'],
    ['fleet land sony --into release', 'another branch'],
    ['fleet land --undo 3f2a…', 'take it back'],
  ]);
  command.action(async (names: readonly string[], flags: LandFlags) => {
    refuseInsideAgent(cli, 'fleet land');
    const [name] = names;
    if (flags.head !== undefined && names.length > 1)
      throw usageError('--head names a commit of one agent: land that agent alone', command);
    if (flags.undo !== undefined && name !== undefined)
      throw usageError('--undo takes the id of a landing, and no names of agents', command);
    await using session = await openSession(cli);
    if (flags.undo !== undefined) return await undo(cli, session, flags);
    if (name === undefined) throw usageError('Name the agents to land', command);
    const options = optionsOf(flags);
    const waiting = {
      progress: (message: string): void => {
        if (cli.err.isTerminal) cli.err.line(printableLine(message));
      },
    };
    if (names.length === 1) {
      const answer = await session
        .call('land_agent', { agent_name: name, head: flags.head, ...options }, waiting)
        .catch((thrown: unknown) => {
          if (flags.json !== true) showOutputs(cli, thrown);
          throw thrown;
        });
      if (flags.json === true) return cli.out.json(answer);
      cli.out.line(printableLine(answer.message));
      if (answer.state === 'landed') cli.err.line(`To take it back: fleet land --undo ${answer.land_id}`);
      return;
    }
    const answer = await session.call('land_agents', { agent_names: [...names], ...options }, waiting);
    if (answer.results.some(({ state }) => state === 'failed')) cli.exitCode = ERROR_TABLE.CONFLICT.exit;
    if (flags.json === true) return cli.out.json(answer);
    show(cli, answer);
  });
}

function optionsOf(flags: LandFlags) {
  const uncommitted =
    flags.includeUncommitted === true ? 'include' : flags.leaveUncommitted === true ? 'leave' : undefined;
  return {
    into: flags.into,
    strategy: flags.squash === true ? 'squash' : flags.rebase === true ? 'rebase' : undefined,
    message: flags.message,
    uncommitted,
    skip_checks: flags.skipChecks,
    assign_to_agent: flags.assign,
    delete_after: flags.delete,
  };
}

async function undo(cli: Cli, session: Session, flags: LandFlags): Promise<void> {
  const answer = await session.call('undo_land', { land_id: flags.undo ?? '' });
  if (flags.json === true) return cli.out.json(answer);
  cli.out.line(printableLine(answer.message));
}

/** The end of what failing checks printed. */
function showOutputs(cli: Cli, thrown: unknown): void {
  const outputs = thrown instanceof FleetError ? thrown.details['outputs'] : undefined;
  if (!Array.isArray(outputs)) return;
  for (const { name, output } of outputs as readonly { name: string; output: string }[])
    for (const line of output.trimEnd().split('\n').slice(-LINES_SHOWN))
      cli.err.line(`${printableLine(name)}: ${printableLine(line)}`);
}

function show(cli: Cli, { results, message }: Answer<'land_agents'>): void {
  const width = Math.max(...results.map(({ agent_name }) => agent_name.length));
  for (const { agent_name, state, message: said, land_id } of results) {
    const mark = cli.out.paint(state === 'landed' ? 'green' : state === 'failed' ? 'red' : 'yellow', state);
    const id = state === 'landed' ? `  (${land_id})` : '';
    cli.out.line(`${agent_name.padEnd(width)}  ${mark}  ${printableLine(forPeople(said))}${id}`);
  }
  cli.out.line(message);
}
