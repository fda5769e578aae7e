import type { Command } from 'commander';
import { examples, jsonOption, refuseInsideAgent, wholeNumber } from '../calls/command.ts';
import { runOperation } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

interface RaceFlags {
  readonly count: number;
  readonly roles?: string;
  readonly spec?: string;
  readonly json?: boolean;
}

export function raceCommand(command: Command, cli: Cli): void {
  command
    .description('Give one task to several new agents. Compare them, land the best, keep or delete the rest.')
    .argument('<project>', 'name of the project')
    .argument('[task]', 'the task of all of them')
    .option('--count <n>', 'how many agents, 2 to 10', wholeNumber('--count'), 3)
    .option('--roles <list>', 'roles of the agents in turn, separated by commas')
    .option('--spec <text>', 'what all of them converge on');
  examples(jsonOption(command), [
    ["fleet race Setup 'Make the tests faster' --count 3", 'three agents on the same task'],
    ["fleet race Setup 'Fix the login' --roles coder,codex --count 2", 'one of each role'],
    ['fleet compare sony papi', 'which one is best'],
  ]);
  command.action(async (project: string, task: string | undefined, flags: RaceFlags) => {
    refuseInsideAgent(cli, 'fleet race');
    const { json, ...options } = flags;
    const answer = await runOperation(cli, 'race_agents', { project, task, ...options });
    if (json === true) return cli.out.json(answer);
    cli.out.line(printableLine(answer.message));
    cli.err.line(`To compare them: fleet compare ${answer.agents.map(({ name }) => name).join(' ')}`);
  });
}
