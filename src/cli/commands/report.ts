import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, usageError } from '../calls/command.ts';
import { textOf } from '../calls/read-text.ts';
import { runOperation } from '../calls/run-operation.ts';

interface ReportOptions {
  readonly uri?: string;
  readonly state?: string;
  readonly json?: boolean;
}

export function reportCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Inside an agent: record a message in its history. With the state failure the agent needs attention.',
    )
    .argument('[message...]', 'the message; "-" or a pipe reads it from stdin')
    .option('--uri <uri>', 'link to the work (http or https)')
    .option('--state <state>', 'working (default), idle, complete or failure');
  examples(jsonOption(command), [
    ['fleet report "The tests pass" --state complete', 'the work is done'],
    ['fleet report "Needs a key" --state failure', 'a person has to act'],
    ['fleet report "Opened" --uri https://example.com/pull/7', 'with a link'],
  ]);
  command.action(async (words: readonly string[], { uri, state, json }: ReportOptions) => {
    const message = await textOf(cli, words, 'message');
    if (message === undefined) throw usageError('The message is missing', command);
    const answer = await runOperation(cli, 'report_task', { message, uri, state });
    if (json === true) cli.out.json(answer);
    else cli.out.line(`Recorded for ${answer.agent_name}`);
  });
}
