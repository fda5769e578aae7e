import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import { JournalReader } from '../../runner/journal-reader.ts';
import { publishJournal } from '../../runner/publisher.ts';
import type { Store } from '../../store/store.ts';
import { AgentRows } from './agent-rows.ts';
import type { Origin } from './origin.ts';
import { agentPaths } from './paths.ts';
import { StorePublisher } from './store-publisher.ts';

/** Fills a new store with the agents whose journals are there: a store that was lost loses no agent. */
export function rebuildStore(home: string, store: Store): void {
  const directory = join(home, 'agents');
  if (!existsSync(directory)) return;
  const rows = new AgentRows(store);
  for (const workspaceId of readdirSync(directory)) {
    using reader = JournalReader.open(agentPaths(home, workspaceId).journal);
    const origin = reader?.origin() as Origin | undefined;
    if (reader === undefined || origin === undefined) continue;
    rows.insert(origin);
    publishJournal(reader, new StorePublisher(store, origin.launch), systemClock);
  }
}
