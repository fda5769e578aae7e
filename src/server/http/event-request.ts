import { FleetError, quote } from '../../domain/values/errors.ts';
import { parseQuery } from './http-input.ts';

export interface EventRequest {
  /** Where to resume: a client that reconnects says it in the header, and that is newer than its address. */
  readonly after: string | undefined;
  /** The agent whose conversation the client follows. */
  readonly agent: string | undefined;
}

/** What a client asks of /events. */
export function eventRequest(request: Request): EventRequest {
  const { cursor, agent, ...others } = parseQuery(request);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new FleetError(
      'INVALID_INPUT',
      `/events has no parameter ${quote(unknown)}. It takes: cursor, agent.`,
      { field: unknown },
    );
  }
  return { after: request.headers.get('last-event-id') ?? cursor, agent };
}
