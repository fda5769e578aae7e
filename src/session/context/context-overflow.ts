import type { FleetError } from '../../domain/values/errors.ts';
import { agentError } from '../../orchestrator/servers/agent-error.ts';

/** One message, with or without the results of its tools, is too large. */
export function contextOverflow(window: number, tokens?: number): FleetError {
  const size =
    tokens === undefined
      ? 'The message and its tool results are'
      : `The message has about ${tokens} tokens and is`;
  return agentError(
    'CONTEXT_OVERFLOW',
    `${size} too large for the context of ${window} tokens. Shorten it, or use a larger context (--context, or session.context in fleet.yaml).`,
    { window, ...(tokens === undefined ? {} : { tokens }) },
  );
}
