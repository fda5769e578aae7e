import type { Command } from 'commander';
import { parseByteSize } from '../../domain/values/byte-size.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { parseAge } from '../output/age.ts';
import { audited } from '../calls/audited.ts';
import type { Cli } from '../output/cli.ts';
import { bytesText } from '../../domain/values/bytes-text.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { collectGarbage, type Amount, type PartUsage } from '../../upkeep/gc/collect-garbage.ts';
import { printableLine } from '../output/printable.ts';
import { openOwned } from '../../fleet/open-owned.ts';
import { fields } from '../output/table.ts';

interface GcOptions {
  readonly olderThan: string;
  readonly archiveLimit: string;
  readonly keptOlderThan?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function gcCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show the disk use of the fleet home, and remove old files and archives of deleted agents. Facts, history and work of live agents are never removed.',
    )
    .option('--older-than <age>', 'files that were last changed longer ago than this', '30d')
    .option(
      '--archive-limit <size>',
      'archives of deleted agents may take this much together; above it the oldest go',
      '10GB',
    )
    .option(
      '--kept-older-than <age>',
      'also kept branches that are older than this; they are the only copy of that work',
    )
    .option('-y, --yes', 'remove old files; without it nothing is removed');
  examples(jsonOption(command), [
    ['fleet gc', 'show what would be removed'],
    ['fleet gc --yes', 'remove files older than 30 days'],
    ['fleet gc --archive-limit 1GB --yes', 'also the oldest archives above 1 GB'],
    ['fleet gc --kept-older-than 180d --yes', 'also kept branches older than 180 days'],
  ]);
  command.action(async (options: GcOptions) => {
    refuseInsideAgent(cli, 'fleet gc');
    const age = parseAge(options.olderThan);
    const archiveBytes = sizeOf(options.archiveLimit);
    const keptAge = options.keptOlderThan === undefined ? undefined : parseAge(options.keptOlderThan);
    await using opened = await openOwned(cli);
    const limits = { age, archiveBytes, keptAge };
    const change = { operation: 'gc', input: agesOf(options), env: cli.env };
    const usage =
      options.yes === true
        ? await audited(opened, change, () => collectGarbage(opened, { ...limits, remove: true }))
        : await collectGarbage(opened, { ...limits, remove: false });
    if (options.json === true)
      return cli.out.json({ home: opened.home, older_than: options.olderThan, parts: usage });
    cli.out.write(usageText(usage));
    if (options.yes !== true && usage.some(({ old }) => old.count > 0 || old.bytes > 0))
      cli.err.line('fleet gc --yes removes what is old.');
  });
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

function sizeOf(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes !== undefined) return bytes;
  throw new FleetError(
    'INVALID_INPUT',
    `--archive-limit takes a size such as 10GB or 500MB; got ${quote(text)}.`,
    { field: 'archive_limit' },
  );
}

function agesOf({ olderThan, archiveLimit, keptOlderThan }: GcOptions): Record<string, string> {
  return {
    older_than: olderThan,
    archive_limit: archiveLimit,
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
