import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { systemClock } from '../../../platform/clock.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import { publishJournal } from '../../../runner/journal/publisher.ts';
import { EventLog } from '../../../store/event-log.ts';
import { salvage } from '../../../store/salvage.ts';
import type { Store } from '../../../store/store.ts';
import { AgentRows } from './agent-rows.ts';
import type { Origin } from './origin.ts';
import { agentPaths } from './paths.ts';
import { StorePublisher } from './store-publisher.ts';

/** Fills a new store with what can be read of the damaged one, and with the agents whose journals are there: a store
 *  that was lost loses no agent. */
export function rebuildStore(home: string, store: Store, damaged: string | undefined): void {
  const rows = new AgentRows(store);
  if (damaged !== undefined) salvage(damaged, store);
  for (const { workspace_id } of rows.all()) {
    if (!existsSync(agentPaths(home, workspace_id).directory)) rows.remove(workspace_id);
  }
  const directory = join(home, 'agents');
  if (!existsSync(directory)) return;
  for (const workspaceId of readdirSync(directory)) {
    try {
      rebuildAgent(home, workspaceId, { store, rows });
    } catch (thrown) {
      // One that cannot be read keeps no other from being found.
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      console.error(`fleet: the agent in ${join(directory, workspaceId)} was not found again: ${why}`);
    }
  }
  // Readers of events have a cursor of the store before, which had counted further.
  new EventLog(store).startAfter(Date.now());
}

function rebuildAgent(
  home: string,
  workspaceId: string,
  { store, rows }: { readonly store: Store; readonly rows: AgentRows },
): void {
  using reader = JournalReader.open(agentPaths(home, workspaceId).journal);
  const origin = reader?.origin() as Origin | undefined;
  if (reader === undefined || origin === undefined) return;
  rows.insert(origin);
  const publisher = new StorePublisher(store, origin.launch);
  // A summary that knows of more than the journal tells that the journal lost something.
  if ((publisher.published()?.seq ?? 0) <= reader.state().seq) {
    rows.removeSummary(workspaceId);
    publishJournal({ journal: reader, publisher, clock: systemClock });
  }
  const { phase, updated_at } = reader.state();
  if (phase !== 'deleting' && phase !== 'deleted') return;
  rows.bury(workspaceId, { by: FLEET_ACTOR, at: updated_at, discard_work: false, deleter: null });
}
