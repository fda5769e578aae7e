import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';

/** The error for a name that no agent has, with the nearest name that one has. */
export function noAgent(
  name: string,
  known: readonly string[],
  field: 'agent_name' | 'agent_names',
): FleetError {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return new FleetError(
    'NOT_FOUND',
    `There is no agent ${quote(name)} in this fleet.${hint} list_agents shows the agents.`,
    { field, ...(meant === undefined ? {} : { nearest: meant }) },
  );
}
