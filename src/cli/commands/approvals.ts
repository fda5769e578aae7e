import type { Command } from 'commander';
import type { Approval } from '../../domain/approval.ts';
import { oneLine } from '../../domain/text.ts';
import { ago } from '../times.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption } from '../command.ts';
import { printable } from '../printable.ts';
import { runOperation } from '../run-operation.ts';
import { table } from '../table.ts';

export function approvalsCommand(command: Command, cli: Cli): void {
  command
    .description('List what waits for your word: permissions, questions, calls of tools.')
    .argument('[name]', 'of this agent alone')
    .option('--full', 'show all that would be done: the command, the path, the diff');
  examples(jsonOption(command), [
    ['fleet approvals', 'who waits for an answer'],
    ['fleet approvals sony --full', 'what sony wants to do, in full'],
  ]);
  command.action(async (name: string | undefined, options: { json?: boolean; full?: boolean }) => {
    const answer = await runOperation(cli, 'list_approvals', name === undefined ? {} : { agent_name: name });
    if (options.json === true) return cli.out.json(answer);
    if (answer.total_count === 0) return cli.err.line('Nobody waits for an answer.');
    if (options.full === true) return cli.out.write(answer.approvals.map(fullText).join('\n'));
    cli.out.write(
      table(
        answer.approvals,
        [
          { header: 'ID', value: ({ id }) => id },
          { header: 'WHO', value: ({ agent_name, asked_by }) => agent_name ?? asked_by },
          { header: 'ASKED', value: ({ asked_at }) => ago(asked_at, Date.now()) },
          { header: 'WHAT', value: ({ tool, input }) => `${tool} ${oneLine(inputText(input))}` },
        ],
        cli.out,
      ),
    );
    cli.err.line('fleet approve ID, or fleet deny ID; fleet approvals --full shows all of it.');
  });
}

function fullText({ id, agent_name, asked_by, kind, tool, input, options, expires_at }: Approval): string {
  const offered = options.map((option) => `  ${option.id}: ${option.name} (${option.decision})`);
  return printable(
    [
      `${id}  ${kind} of ${agent_name ?? asked_by}${expires_at === null ? '' : `, denied at ${expires_at}`}`,
      tool,
      inputText(input),
      ...(offered.length === 0 ? [] : ['options:', ...offered]),
      '',
    ].join('\n'),
  );
}

function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2);
}
