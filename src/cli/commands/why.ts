import type { Command } from 'commander';
import type { Fact } from '../../domain/fact.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { describeFact } from '../../domain/timeline/describe-fact.ts';
import type { Explanation } from '../../domain/timeline/explain-status.ts';
import type { Output } from '../output/output.ts';
import { printableLine } from '../output/printable.ts';
import { openSession } from '../calls/run-operation.ts';
import { forPeople } from '../output/for-people.ts';
import { table } from '../output/table.ts';
import { localTime, parsePastTime, tableTime } from '../output/times.ts';

interface WhyOptions {
  readonly at?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const SHOWN_FACTS = 30;
const ALL = { cursor: undefined, direction: 'older', limit: Number.POSITIVE_INFINITY } as const;

export function whyCommand(command: Command, cli: Cli): void {
  command
    .description('Show the status of an agent and the facts that it is derived from, newest last.')
    .argument('<name>', 'name of the agent')
    .option('--at <time>', 'the status at that time: an ISO time, or how long ago, such as 10m')
    .option('--all', `all facts, not only the last ${SHOWN_FACTS}`);
  examples(jsonOption(command), [
    ['fleet why sony', 'the reason for its status'],
    ['fleet why sony --at 10m', 'its status ten minutes ago'],
    ['fleet why sony --json', 'all facts as JSON'],
  ]);
  command.action(async (name: string, options: WhyOptions) => {
    refuseInsideAgent(cli, 'fleet why');
    const now = systemClock.now();
    const at = options.at === undefined ? undefined : parsePastTime(options.at, now.at);
    await using session = await openSession(cli);
    const { entries, agent_name, ...found } = await session.fleet.timeline(name, { at, ...ALL });
    const facts = entries.map(({ fact }) => fact);
    const explanation = { agent_name, at: found.at, status: found.status, facts };
    if (options.json === true) return cli.out.json(explanation);
    const shown = options.all === true ? Number.POSITIVE_INFINITY : SHOWN_FACTS;
    cli.out.write(
      explanationText(explanation, { shown, past: at !== undefined, now: now.at, style: cli.out }),
    );
  });
}

export function explanationText(
  { agent_name, at, status, facts }: Explanation,
  {
    shown,
    past,
    now,
    style,
  }: { shown: number; past: boolean; now: number; style: Partial<Pick<Output, 'columns' | 'paint'>> },
): string {
  const when = past ? `was ${status.status} at ${localTime(at, now)}` : `is ${status.status}`;
  const skipped = Math.max(0, facts.length - shown);
  return [
    `${agent_name} ${when}: ${printableLine(forPeople(status.status_reason))}\n`,
    attentionLine(status),
    '\n',
    skipped === 0 ? '' : `… ${skipped} earlier facts; --all shows them\n`,
    table<Fact>(
      facts.slice(skipped),
      [
        { header: 'SEQ', value: (fact) => String(fact.seq), drop: 2 },
        { header: 'TIME', value: (fact) => tableTime(fact.at, now) },
        { header: 'WHO', value: (fact) => fact.by.principal, least: 10 },
        { header: 'VIA', value: (fact) => fact.by.door, drop: 1 },
        { header: 'FACT', value: (fact) => describeFact(fact.body) },
      ],
      style,
    ),
  ].join('');
}

/** The reason of an idle agent says already what it needs. */
function attentionLine({ attention_reason, status_reason }: Explanation['status']): string {
  if (attention_reason === null || status_reason.includes(attention_reason)) return '';
  return `It needs attention: ${printableLine(forPeople(attention_reason))}\n`;
}
