import type { FleetContext } from '../context/fleet-context.ts';

/** All agents, with what forges said of them. */
export async function knownRecords({ lookup, pullRequests }: FleetContext) {
  const { records, unavailable } = await lookup.records();
  return { records: pullRequests?.known(records) ?? records, unavailable };
}
