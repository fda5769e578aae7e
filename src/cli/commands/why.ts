import type { Command } from 'commander';
import type { Fact } from '../../domain/fact.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { describeFact, explainAt, explainNow, type Explanation } from '../explain-status.ts';
import type { TableStyle } from '../table.ts';
import { printableLine } from '../printable.ts';
import { openSession } from '../run-operation.ts';
import { table } from '../table.ts';
import { localTime, parsePastTime } from '../times.ts';

interface WhyOptions {
  readonly at?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const SHOWN_FACTS = 30;

export function whyCommand(command: Command, cli: Cli): void {
  command
    .description('Show the status of an agent and the facts that it was made from, newest last.')
    .argument('<name>', 'name of the agent')
    .option('--at <time>', 'as it was then: an ISO time, or how long ago, such as 10m')
    .option('--all', `all facts, not only the last ${SHOWN_FACTS}`);
  examples(jsonOption(command), [
    ['fleet why sony', 'why its status is what it is'],
    ['fleet why sony --at 10m', 'what it was ten minutes ago'],
    ['fleet why sony --json', 'all facts, for a program'],
  ]);
  command.action(async (name: string, options: WhyOptions) => {
    refuseInsideAgent(cli, 'fleet why');
    const now = systemClock.now();
    const at = options.at === undefined ? undefined : parsePastTime(options.at, now.at);
    await using session = await openSession(cli);
    const { agent, facts } = await session.fleet.facts(name);
    const known = { agent_name: agent.name, facts, observed: agent.observed, now };
    const explanation = at === undefined ? explainNow(known) : explainAt(known, at);
    if (options.json === true) return cli.out.json(explanation);
    const shown = options.all === true ? Number.POSITIVE_INFINITY : SHOWN_FACTS;
    cli.out.write(
      explanationText(explanation, { shown, past: at !== undefined, now: now.at, style: cli.out }),
    );
  });
}

export function explanationText(
  { agent_name, at, status, facts }: Explanation,
  { shown, past, now, style }: { shown: number; past: boolean; now: number; style: TableStyle },
): string {
  const when = past ? `was ${status.status} at ${localTime(at, now)}` : `is ${status.status}`;
  const skipped = Math.max(0, facts.length - shown);
  return [
    `${agent_name} ${when}: ${printableLine(status.status_reason)}\n`,
    status.needs_attention ? 'It needs attention.\n' : '',
    '\n',
    skipped === 0 ? '' : `… ${skipped} earlier facts; --all shows them\n`,
    table<Fact>(
      facts.slice(skipped),
      [
        { header: 'SEQ', value: (fact) => String(fact.seq) },
        { header: 'TIME', value: (fact) => localTime(fact.at, now) },
        { header: 'WHO', value: (fact) => fact.by.principal },
        { header: 'DOOR', value: (fact) => fact.by.door },
        { header: 'FACT', value: (fact) => describeFact(fact.body) },
      ],
      style,
    ),
  ].join('');
}
