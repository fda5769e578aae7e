import { FleetError, type ErrorCode, type ErrorDetails } from '../../domain/values/errors.ts';

/** What can go wrong between a caller and a tool, finer than the codes that all interfaces share. */
export const AGENT_ERRORS = {
  OLLAMA_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  MODEL_NOT_FOUND: 'NOT_FOUND',
  SYSTEM_PROMPT_MISSING: 'INVALID_INPUT',
  TOOL_NOT_FOUND: 'NOT_FOUND',
  TOOL_EXECUTION_FAILED: 'SERVICE_UNAVAILABLE',
  CONTEXT_OVERFLOW: 'TOO_LARGE',
  NETWORK_TIMEOUT: 'SERVICE_UNAVAILABLE',
  INVALID_RESPONSE: 'SERVICE_UNAVAILABLE',
  AGENT_INIT_FAILED: 'SERVICE_UNAVAILABLE',
  AGENT_SHUTDOWN_FAILED: 'SERVICE_UNAVAILABLE',
  AGENT_NOT_FOUND: 'NOT_FOUND',
  AGENT_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  TOOL_EXECUTION_TIMEOUT: 'SERVICE_UNAVAILABLE',
  MCP_CONNECTION_FAILED: 'SERVICE_UNAVAILABLE',
  MCP_TOOL_DISCOVERY_FAILED: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<string, ErrorCode>;

export type AgentErrorCode = keyof typeof AGENT_ERRORS;

export function agentError(
  reason: AgentErrorCode,
  message: string,
  { cause, ...details }: ErrorDetails & { readonly cause?: unknown } = {},
): FleetError {
  return new FleetError(AGENT_ERRORS[reason], message, { reason, ...details }, cause);
}
