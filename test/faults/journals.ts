import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Fact } from '../../src/domain/fact.ts';
import type { AgentState } from '../../src/domain/state.ts';
import type { HistoryRow } from '../../src/domain/task.ts';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';

export interface JournalOfStage {
  readonly workspace_id: string;
  readonly archived: boolean;
  readonly facts: readonly Fact[];
  readonly state: AgentState;
  readonly history: readonly HistoryRow[];
}

/** The journals of all agents that a fleet has and had, read where they lie. */
export function journalsOf(home: string): JournalOfStage[] {
  return [...inDirectory(home, 'agents'), ...inDirectory(home, 'archive')];
}

function inDirectory(home: string, name: 'agents' | 'archive'): JournalOfStage[] {
  const directory = join(home, name);
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((workspace_id) => {
    using reader = JournalReader.open(join(directory, workspace_id, 'journal.db'));
    if (reader === undefined) return [];
    const facts = reader.facts();
    const history = reader.history({ page: 1, page_size: 100 }).rows;
    return [{ workspace_id, archived: name === 'archive', facts, state: reader.state(), history }];
  });
}
