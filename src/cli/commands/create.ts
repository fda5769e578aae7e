import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, usageError } from '../command.ts';
import { readTextFile, textOf } from '../read-text.ts';
import { openSession } from '../run-operation.ts';
import { firstTaskOf, followTask, tellEnd } from '../follow-task.ts';

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
    .argument('[task...]', 'the first task; "-" or piped: from stdin')
    .option('--name <name>', 'name of the agent (default: a short free one is chosen)')
    .option('--role <role>', "role, see fleet roles (default: the project's)")
    .option('--spec <text>', 'what all its tasks converge on (default: the task)')
    .option('--spec-file <file>', 'the spec from a file')
    .option('--base <ref>', 'branch, tag or commit that its branch starts from')
    .option('--branch <branch>', 'an existing branch to work on, instead of a new one')
    .option('--pr-url <url>', 'pull request of this work')
    .option('--key <key>', 'idempotency key: repeated with it, nothing is done twice')
    .option('--wait', 'wait until the task has ended; exit 1 when it did not complete');
  examples(jsonOption(command), [
    ['fleet create Setup Fix the login page', 'a new agent with a chosen name'],
    ['fleet create Setup --name sony --role coder "Write tests"', 'with a name and a role'],
    ['fleet create Setup --spec-file spec.md - < task.txt', 'task from stdin, spec from a file'],
    ['fleet create Setup --role shell --wait "make test"', 'and wait for the end'],
  ]);
  command.action(async (project: string, words: readonly string[], options: CreateOptions) => {
    const spec = specOf(cli, options);
    const task = await textOf(cli, words, 'task');
    if (task === undefined) throw usageError('The task is missing', command);
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
    tellEnd(cli, ended, options.json === true ? { ...answer, agent, task: ended } : undefined);
  });
}

export function createInput(
  given: { readonly project: string; readonly task: string; readonly spec: string | undefined },
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
