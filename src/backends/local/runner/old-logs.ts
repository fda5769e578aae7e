import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import type { LogSize } from '../../../runner/journal/log-buffer.ts';
import { withOwnedJournal } from '../records/with-owned-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { agentPaths } from '../records/paths.ts';

export interface OldLog {
  readonly all: LogSize;
  readonly old: LogSize;
}

const NEVER = '9999-12-31';

/** The logs of agents that nobody runs, and what of them was written before a time. */
export function logsBefore(context: LocalContext, time: string): readonly OldLog[] {
  return resting(context).flatMap(({ workspace_id }) => {
    using reader = JournalReader.open(agentPaths(context.home, workspace_id).journal);
    return reader === undefined
      ? []
      : [{ all: reader.logSizeBefore(NEVER), old: reader.logSizeBefore(time) }];
  });
}

/** Drops what was written before a time, tells it in a fact, and gives the room back. */
export async function trimLogs(context: LocalContext, time: string): Promise<void> {
  for (const row of resting(context)) {
    using reader = JournalReader.open(agentPaths(context.home, row.workspace_id).journal);
    if (reader === undefined || reader.logSizeBefore(time).entries === 0) continue;
    await withOwnedJournal(context, row, (journal) => {
      journal.entries.trimBefore(time);
      journal.append(FLEET_ACTOR, { kind: 'log.cut', ...journal.entries.cut() });
      journal.compact();
    });
  }
}

function resting({ rows }: LocalContext) {
  return rows.all().filter(({ runner, tombstone }) => runner === null && tombstone === null);
}
