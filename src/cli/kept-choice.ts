import { nameKey } from '../domain/agent-name.ts';
import { FleetError, quote } from '../domain/errors.ts';
import type { KeptInProject } from './kept-repositories.ts';

/** What a word names: one kept branch, or all that was kept of the only deleted agent of that name, the main one first. */
export function chooseKept(
  kept: readonly KeptInProject[],
  wanted: string,
): readonly [KeptInProject, ...KeptInProject[]] {
  const exact = kept.filter(({ branch }) => branch === wanted);
  const found = (
    exact.length > 0 ? exact : kept.filter((each) => nameKey(each.agent_name) === nameKey(wanted))
  ).toSorted((a, b) => a.part.localeCompare(b.part));
  const [first, ...more] = found;
  if (first === undefined) {
    throw new FleetError(
      'NOT_FOUND',
      `Nothing is kept of ${quote(wanted)} in the repositories of the configured projects. fleet kept shows what is.`,
      { field: 'name', branches: kept.map(({ branch }) => branch) },
    );
  }
  const agents = new Set(found.map(({ repository, workspace_id }) => `${workspace_id} ${repository}`));
  if (agents.size === 1) return [first, ...more];
  const branches = kept.filter((each) => found.includes(each)).map(({ branch }) => branch);
  throw new FleetError(
    'INVALID_INPUT',
    `Work of ${agents.size} agents called ${quote(wanted)} is kept. Say which, newest first: ${branches.join(', ')}.`,
    { field: 'name', branches },
  );
}
