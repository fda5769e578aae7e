import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { parseAge } from '../age.ts';
import { audited } from '../audited.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { archivesOf, compileCacheBytes, removeArchive, totalBytes, type Archive } from '../gc-home.ts';
import { keptEverywhere } from '../kept-repositories.ts';
import { openOwned } from '../run-operation.ts';
import { fields } from '../table.ts';

interface GcOptions {
  readonly olderThan: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export interface Usage {
  readonly home: string;
  readonly archives: Amount;
  readonly old_archives: Amount & { readonly older_than: string };
  readonly removed: Amount;
  /** Null when the configuration cannot be read. */
  readonly kept_branches: number | null;
  readonly compile_cache: { readonly bytes: number };
}

export function gcCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show what deleted agents left behind, and remove their old archives. Live agents are never touched.',
    )
    .option('--older-than <age>', 'archives of agents that were deleted longer ago', '30d')
    .option('-y, --yes', 'remove them; without it nothing is removed');
  examples(jsonOption(command), [
    ['fleet gc', 'what there is'],
    ['fleet gc --yes', 'remove the archives of more than 30 days ago'],
    ['fleet kept prune --older-than 30d', 'for kept branches, which gc does not touch'],
  ]);
  command.action(async (options: GcOptions) => {
    refuseInsideAgent(cli, 'fleet gc');
    const before = Date.now() - parseAge(options.olderThan);
    await using opened = await openOwned(cli);
    const all = archivesOf(opened.home);
    const old = all.filter(({ changed_at }) => changed_at < before);
    const removed = options.yes === true ? old : [];
    if (removed.length > 0) await remove(cli, { opened, removed, options });
    const usage: Usage = {
      home: opened.home,
      archives: amountOf(all),
      old_archives: { ...amountOf(old), older_than: options.olderThan },
      removed: amountOf(removed),
      kept_branches: await countKept(opened),
      compile_cache: { bytes: compileCacheBytes(opened.home) },
    };
    if (options.json === true) return cli.out.json(usage);
    cli.out.write(usageText(usage));
    if (old.length > 0 && removed.length === 0) cli.err.line('fleet gc --yes removes the old ones.');
  });
}

export function usageText({ archives, old_archives, removed, kept_branches, compile_cache }: Usage): string {
  return fields([
    ['archives of deleted agents', amountText(archives)],
    [`  older than ${old_archives.older_than}`, amountText(old_archives)],
    ...(removed.count === 0 ? [] : [['  removed now', amountText(removed)] as const]),
    [
      'kept branches',
      kept_branches === null ? 'unknown: see fleet doctor' : `${kept_branches}, see fleet kept`,
    ],
    ['compiled code', bytesText(compile_cache.bytes)],
  ]);
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024)), units.length - 1);
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

interface Removal {
  readonly opened: OpenedFleet;
  readonly removed: readonly Archive[];
  readonly options: GcOptions;
}

async function remove(cli: Cli, { opened, removed, options }: Removal): Promise<void> {
  const input = { older_than: options.olderThan, archives: removed.length };
  await audited(opened, { operation: 'remove_archives', input, env: cli.env }, () => {
    for (const archive of removed) removeArchive(archive);
  });
}

async function countKept(opened: OpenedFleet): Promise<number | null> {
  try {
    return (await keptEverywhere((await opened.config()).current().config)).kept.length;
  } catch (thrown) {
    if (thrown instanceof FleetError) return null;
    throw thrown;
  }
}

function amountOf(archives: readonly Archive[]): Amount {
  return { count: archives.length, bytes: totalBytes(archives) };
}

function amountText({ count, bytes }: Amount): string {
  return count === 0 ? 'none' : `${count}, ${bytesText(bytes)}`;
}
