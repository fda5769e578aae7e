import type { FleetError } from '../../domain/values/errors.ts';
import { agentError } from '../../orchestrator/servers/agent-error.ts';
import { estimateTokens } from './tokens.ts';

/** The system prompt leaves no room for any message. */
export function promptOverflow(window: number, system: string): FleetError {
  const tokens = estimateTokens(system);
  return agentError(
    'CONTEXT_OVERFLOW',
    `The system prompt has about ${tokens} tokens and leaves no room for messages in the context of ${window} tokens. Shorten it (--system-prompt, or session.system_prompt_file in fleet.yaml), or use a larger context (--context, or session.context).`,
    { window, tokens },
  );
}

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
