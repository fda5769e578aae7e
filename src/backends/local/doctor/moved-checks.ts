import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readableRows } from '../../../platform/database/readable-rows.ts';
import type { Check } from '../../../domain/check.ts';

/** Agents whose project's repository is not where it was when they were made. */
export function movedChecks(home: string): readonly Check[] {
  const store = join(home, 'store.db');
  if (!existsSync(store)) return [];
  const agents = readableRows(
    store,
    `SELECT name, project, json_extract(origin, '$.plan.repository') AS repository,
       json_extract(origin, '$.plan.clone.lender') AS lender FROM agents ORDER BY name_key`,
    (row) => ({
      name: String(row['name']),
      project: String(row['project']),
      repository: String(row['repository']),
      lender: row['lender'] === null ? null : String(row['lender']),
    }),
  );
  const moved = agents.filter(({ lender, repository }) => !existsSync(lender ?? repository));
  return [...Map.groupBy(moved, ({ repository }) => repository)].map(([repository, of]) => ({
    name: 'moved repository',
    state: 'fail',
    message: `${repository} of the project ${of[0]?.project ?? ''} is gone or was moved; it is used by ${of
      .map(({ name }) => name)
      .join(', ')}`,
    fix: of.every(({ lender }) => lender === null)
      ? 'move it back: these agents work in git worktrees of it'
      : 'set the repository of the project in fleet.yaml to where it is now, then: fleet doctor --repair',
  }));
}
