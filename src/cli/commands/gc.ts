import type { Command } from 'commander';
import { AgentRows } from '../../backends/local/agent-rows.ts';
import { openStore } from '../../backends/local/open-store.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { Store } from '../../store/store.ts';
import { parseAge } from '../age.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { bytesText } from '../bytes-text.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { NOTHING, type Amount, type GcPart } from '../gc/gc-part.ts';
import { homeParts } from '../gc/home-parts.ts';
import { keptPart } from '../gc/kept-part.ts';
import { logsPart } from '../gc/logs-part.ts';
import { orphansPart } from '../gc/orphans-part.ts';
import { storePart } from '../gc/store-part.ts';
import { printableLine } from '../printable.ts';
import { openOwned } from '../run-operation.ts';
import { fields } from '../table.ts';

interface GcOptions {
  readonly olderThan: string;
  readonly keptOlderThan?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export interface PartUsage {
  readonly name: string;
  readonly title: string;
  readonly all: Amount;
  readonly old: Amount;
  readonly removed: Amount;
  readonly note?: string;
}

export function gcCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show what takes room in the home, and remove what is old of it. Facts, history and live agents are never touched.',
    )
    .option('--older-than <age>', 'what was last changed longer ago', '30d')
    .option('--kept-older-than <age>', 'also kept branches that are older: the only copy of that work')
    .option('-y, --yes', 'remove what is old; without it nothing is removed');
  examples(jsonOption(command), [
    ['fleet gc', 'what there is, and what would go'],
    ['fleet gc --yes', 'remove what is older than 30 days'],
    ['fleet gc --kept-older-than 180d --yes', 'and kept branches of more than half a year ago'],
  ]);
  command.action(async (options: GcOptions) => {
    refuseInsideAgent(cli, 'fleet gc');
    const age = parseAge(options.olderThan);
    const keptAge = options.keptOlderThan === undefined ? undefined : parseAge(options.keptOlderThan);
    await using opened = await openOwned(cli);
    using store = openStore(opened.home);
    const parts = partsOf({ opened, store, age, keptAge });
    const change = { operation: 'gc', input: agesOf(options), env: cli.env };
    const usage =
      options.yes === true
        ? await audited(opened, change, () => collect(parts, true))
        : await collect(parts, false);
    if (options.json === true)
      return cli.out.json({ home: opened.home, older_than: options.olderThan, parts: usage });
    cli.out.write(usageText(usage));
    if (options.yes !== true && usage.some(({ old }) => old.count > 0 || old.bytes > 0))
      cli.err.line('fleet gc --yes removes what is old.');
  });
}

interface Place {
  readonly opened: OpenedFleet;
  readonly store: Store;
  readonly age: number;
  readonly keptAge: number | undefined;
}

function partsOf({ opened, store, age, keptAge }: Place): readonly GcPart[] {
  const { home, local } = opened;
  const now = Date.now();
  const known = new Set(new AgentRows(store).all().map(({ workspace_id }) => workspace_id));
  return [
    ...homeParts(home, now - age),
    orphansPart(home, known, now - age),
    logsPart(local, now - age),
    storePart(store, home),
    keptPart(opened, keptAge === undefined ? undefined : now - keptAge),
  ];
}

async function collect(parts: readonly GcPart[], remove: boolean): Promise<readonly PartUsage[]> {
  const usage: PartUsage[] = [];
  for (const part of parts) {
    const found = await part.find();
    if (remove) await found.remove();
    const { all, old, note } = found;
    usage.push({
      name: part.name,
      title: part.title,
      all,
      old,
      removed: remove ? old : NOTHING,
      ...(note === undefined ? {} : { note }),
    });
  }
  return usage;
}

export function usageText(parts: readonly PartUsage[]): string {
  return fields(
    parts.flatMap(({ title, all, old, removed, note }) => [
      [title, amountText(all)] as const,
      ...(isNothing(old) ? [] : [['  old', amountText(old)] as const]),
      ...(isNothing(removed) ? [] : [['  removed now', amountText(removed)] as const]),
      ...(note === undefined ? [] : [['  note', printableLine(note)] as const]),
    ]),
  );
}

function agesOf({ olderThan, keptOlderThan }: GcOptions): Record<string, string> {
  return {
    older_than: olderThan,
    ...(keptOlderThan === undefined ? {} : { kept_older_than: keptOlderThan }),
  };
}

function isNothing({ count, bytes }: Amount): boolean {
  return count === 0 && bytes === 0;
}

function amountText(amount: Amount): string {
  if (isNothing(amount)) return 'none';
  return amount.bytes === 0 ? String(amount.count) : `${amount.count}, ${bytesText(amount.bytes)}`;
}
