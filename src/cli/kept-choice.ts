import { nameKey } from '../domain/agent-name.ts';
import { FleetError, quote } from '../domain/errors.ts';
import type { KeptInProject } from './kept-repositories.ts';

/** The kept branch that a word names: the branch itself, or the agent whose only one it is. */
export function chooseKept(kept: readonly KeptInProject[], wanted: string): KeptInProject {
  const exact = kept.filter(({ branch }) => branch === wanted);
  const found =
    exact.length > 0 ? exact : kept.filter((each) => nameKey(each.agent_name) === nameKey(wanted));
  const [only, ...more] = found;
  if (only === undefined) {
    throw new FleetError(
      'NOT_FOUND',
      `Nothing is kept of ${quote(wanted)} in the repositories of the configured projects. fleet kept shows what is.`,
      { field: 'name', branches: kept.map(({ branch }) => branch) },
    );
  }
  if (more.length === 0) return only;
  const branches = found.map(({ branch }) => branch);
  throw new FleetError(
    'INVALID_INPUT',
    `Work of ${found.length} agents called ${quote(wanted)} is kept. Say which, newest first: ${branches.join(', ')}.`,
    { field: 'name', branches },
  );
}
