import type { KeptAgent } from '../../domain/kept-agent.ts';
import { nameKey } from '../../domain/values/agent-name.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';

/** The deleted agent that a word names: its workspace id, its kept branch, or a name that only one of them has. */
export function chooseKept(kept: readonly KeptAgent[], wanted: string): KeptAgent {
  const exact = kept.filter(({ workspace_id, branch }) => workspace_id === wanted || branch === wanted);
  const found =
    exact.length > 0 ? exact : kept.filter((each) => nameKey(each.agent_name) === nameKey(wanted));
  const [first, ...more] = found;
  const ids = found.map(({ workspace_id }) => workspace_id);
  if (first === undefined) {
    throw new FleetError(
      'NOT_FOUND',
      `Nothing is kept of an agent ${quote(wanted)}. fleet kept shows what is.`,
      {
        field: 'name',
      },
    );
  }
  if (more.length === 0) return first;
  throw new FleetError(
    'INVALID_INPUT',
    `${found.length} deleted agents were called ${quote(wanted)}. Choose one by its id, newest first: ${ids.join(', ')}.`,
    { field: 'name', workspace_ids: ids },
  );
}
