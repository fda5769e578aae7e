import { join } from 'node:path';
import { readableRows } from '../../../platform/database/readable-rows.ts';

export interface KnownAgent {
  readonly workspace_id: string;
  readonly name: string;
  /** How many facts of it were published. */
  readonly seq: number;
}

/** The agents that a store knows, read without changing or repairing anything. */
export function knownAgents(home: string): readonly KnownAgent[] {
  return readableRows(
    join(home, 'store.db'),
    `SELECT workspace_id, name,
       coalesce((SELECT json_extract(state, '$.seq') FROM summaries s WHERE s.workspace_id = a.workspace_id), 0) AS seq
     FROM agents a ORDER BY name_key`,
    (row) => ({
      workspace_id: String(row['workspace_id']),
      name: String(row['name']),
      seq: Number(row['seq']),
    }),
  );
}
