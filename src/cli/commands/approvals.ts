import type { Command } from 'commander';
import type { Approval } from '../../domain/approvals/approval.ts';
import { approvalLine, approvalText, type ApprovalContext } from '../approvals/approval-text.ts';
import { askedFor } from '../../domain/approvals/asked-for.ts';
import { findApprovals } from '../approvals/find-approvals.ts';
import { resolveHome } from '../../platform/home.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { openSession } from '../calls/run-operation.ts';
import { table, type Column } from '../output/table.ts';
import { inWords } from '../output/times.ts';

export function approvalsCommand(command: Command, cli: Cli): void {
  command
    .description('List pending approvals: permissions and questions of agents, and tool calls.')
    .argument(
      '[name]',
      'show the approvals of this agent in full, or the one with this id (its beginning is enough)',
    )
    .option('--full', 'show each approval in full: the command, the diff, the question and its options');
  examples(jsonOption(command), [
    ['fleet approvals', 'all pending approvals'],
    ['fleet approvals sony', 'what sony asks for, in full'],
    ['fleet approvals call-bcc4cc01', 'one approval, in full'],
    ['fleet approvals --json', 'the raw requests'],
  ]);
  command.action(async (name: string | undefined, options: { json?: boolean; full?: boolean }) => {
    await using session = await openSession(cli);
    const answer =
      name === undefined ? await session.call('list_approvals', {}) : await findApprovals(session, name);
    if (options.json === true) return cli.out.json(answer);
    if (answer.total_count === 0) return cli.err.line('No pending approvals.');
    const context = { now: Date.now(), home: resolveHome(cli.env), paint: cli.out.paint };
    if (options.full === true || name !== undefined)
      return cli.out.write(answer.approvals.map((each) => approvalText(each, context)).join('\n'));
    cli.out.write(table(answer.approvals, approvalColumns(context), cli.out));
    cli.err.line('fleet approvals ID shows one in full. Answer with fleet approve ID or fleet deny ID.');
  });
}

function approvalColumns({ now, home }: ApprovalContext): readonly Column<Approval>[] {
  return [
    { header: 'ID', value: ({ id }) => id },
    { header: 'WHO', value: ({ agent_name, asked_by }) => agent_name ?? asked_by },
    { header: 'KIND', value: (approval) => askedFor(approval, home).kind },
    {
      header: 'EXPIRES',
      value: ({ expires_at }) =>
        expires_at === null ? 'never' : `in ${inWords(Date.parse(expires_at) - now)}`,
    },
    { header: 'ASKS FOR', value: (approval) => approvalLine(approval, home) },
  ];
}
