import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, usageError } from '../calls/command.ts';
import { readTextFile, textOf } from '../calls/read-text.ts';
import { openSession } from '../calls/run-operation.ts';
import { firstTaskOf, followTask, printTaskEnd } from '../calls/follow-task.ts';

interface CreateOptions {
  readonly name?: string;
  readonly role?: string;
  readonly spec?: string;
  readonly specFile?: string;
  readonly base?: string;
  readonly branch?: string;
  readonly prUrl?: string;
  readonly key?: string;
  readonly wait?: boolean;
  readonly json?: boolean;
}

export function createCommand(command: Command, cli: Cli): void {
  command
    .description('Create an agent in a workspace of its own and give it its first task.')
    .argument('<project>', 'name of the project, see fleet projects')
    .argument('[task...]', 'the first task; "-" or a pipe reads it from stdin')
    .option('--name <name>', 'name of the agent (default: a short name is chosen)')
    .option('--role <role>', "role, see fleet roles (default: the project's)")
    .option('--spec <text>', 'what all its tasks converge on; without a task it is the first task as well')
    .option('--spec-file <file>', 'read the spec from a file')
    .option('--base <ref>', 'branch, tag or commit that its branch starts from')
    .option('--branch <branch>', 'an existing branch to start from, also one that only a remote has')
    .option(
      '--pr, --pr-url <url>',
      'pull request of this work; without --branch and --base, its head is the start',
    )
    .option('--key <key>', 'idempotency key: a repeated command with the same key does nothing')
    .option('--wait', 'wait until the task ends; exit 1 unless it completed');
  examples(jsonOption(command), [
    ['fleet create Setup Fix the login page', 'a new agent; its name is chosen'],
    ['fleet create Setup --name sony --role coder "Write tests"', 'with a name and a role'],
    ['fleet create Setup --spec-file spec.md', 'the spec is the first task'],
    ['fleet create Setup --spec-file spec.md - < task.txt', 'task from stdin, spec from a file'],
    ['fleet create Setup --role shell --wait "make test"', 'and wait until the task ends'],
  ]);
  command.action(async (project: string, words: readonly string[], options: CreateOptions) => {
    const spec = specOf(cli, options);
    const task = spec !== undefined && words.length === 0 ? undefined : await textOf(cli, words, 'task');
    if (task === undefined && spec === undefined)
      throw usageError('The task is missing: give a task, or a spec by --spec or --spec-file', command);
    await using session = await openSession(cli);
    const answer = await session.call('create_agent', createInput({ project, task, spec }, options));
    const { name } = answer.agent;
    if (options.wait !== true) {
      if (options.json === true) return cli.out.json(answer);
      cli.out.line(answer.message);
      if (cli.out.isTerminal) cli.err.line(`Follow it: fleet log ${name} --follow`);
      return;
    }
    if (options.json !== true) cli.out.line(answer.message);
    const ended = await followTask(cli, session, { agent: name, task: await firstTaskOf(session, name) });
    const { agent } = await session.call('show_agent', { agent_name: name });
    printTaskEnd(cli, ended, options.json === true ? { ...answer, agent, task: ended } : undefined);
  });
}

export function createInput(
  given: {
    readonly project: string;
    readonly task: string | undefined;
    readonly spec: string | undefined;
  },
  options: CreateOptions,
) {
  return {
    ...given,
    name: options.name,
    role: options.role,
    base: options.base,
    branch: options.branch,
    pull_request_url: options.prUrl,
    idempotency_key: options.key,
  };
}

function specOf(cli: Cli, { spec, specFile }: CreateOptions): string | undefined {
  if (specFile === undefined) return spec;
  if (spec === undefined) return readTextFile(cli, specFile, 'spec');
  throw new FleetError('INVALID_INPUT', 'Give the spec by --spec or by --spec-file, not by both.', {
    field: 'spec',
  });
}
