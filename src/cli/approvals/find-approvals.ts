import { FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import type { Answer } from '../../operations/table.ts';
import type { Session } from '../calls/run-operation.ts';

/** The pending approvals that a word of the command line names: by id, by the name of an agent, by the beginning of an id. */
export async function findApprovals(session: Session, wanted: string): Promise<Answer<'list_approvals'>> {
  const { approvals } = await session.call('list_approvals', {});
  const exact = approvals.filter(({ id }) => id === wanted);
  if (exact.length > 0) return { approvals: exact, total_count: exact.length };
  try {
    return await session.call('list_approvals', { agent_name: wanted });
  } catch (thrown) {
    const error = toFleetError(thrown);
    // A beginning of an id need not be a valid name.
    if (error.code !== 'NOT_FOUND' && error.code !== 'INVALID_INPUT') throw thrown;
    const starting = approvals.filter(({ id }) => id.startsWith(wanted));
    if (starting.length === 1) return { approvals: starting, total_count: 1 };
    throw starting.length === 0 ? noneNamed(error) : severalNamed(wanted, starting);
  }
}

function noneNamed(error: FleetError): FleetError {
  const message = `${error.message} No pending approval has that id either.`;
  return new FleetError(error.code, message, error.details, error);
}

function severalNamed(wanted: string, starting: readonly { readonly id: string }[]): FleetError {
  return new FleetError(
    'CONFLICT',
    `${starting.length} pending approvals have ids that begin with ${quote(wanted)}. Name one: ${starting.map(({ id }) => id).join(' or ')}.`,
    { field: 'id' },
  );
}
