import { FleetError } from '../domain/errors.ts';
import { agentError } from './agent-error.ts';
import { httpStatusOf, WireLost, WireTimeout } from './rpc-error.ts';
import type { Redact } from './secrets.ts';
import type { ServerDefinition } from './server-definition.ts';

/** What is said of a server that fails, with nothing secret in it. */
export class UpstreamErrors {
  readonly #definition: ServerDefinition;
  readonly #redact: Redact;

  constructor(definition: ServerDefinition, redact: Redact) {
    this.#definition = definition;
    this.#redact = redact;
  }

  /** Why it could not be connected. */
  reason(thrown: unknown): string {
    if (thrown instanceof WireTimeout)
      return `it did not answer within ${this.#definition.timeout_ms} ms (one that starts slowly needs a larger "timeout" in fleet.yaml)`;
    return this.#redact(textOf(thrown));
  }

  notConnected(thrown: unknown, greeted: boolean): FleetError {
    if (thrown instanceof FleetError) return thrown;
    const { name } = this.#definition;
    const reason = this.reason(thrown);
    return agentError(
      greeted ? 'MCP_TOOL_DISCOVERY_FAILED' : 'MCP_CONNECTION_FAILED',
      greeted
        ? `The MCP server "${name}" does not list its tools: ${reason}.`
        : `The MCP server "${name}" cannot be reached: ${reason}. Look at it with fleet tools.`,
      { server: name, cause: thrown },
    );
  }

  /** Nobody waits for a server that failed again and again. */
  hopeless(error: string | undefined, wait_ms: number): FleetError {
    const { name } = this.#definition;
    return agentError(
      'AGENT_UNAVAILABLE',
      `The MCP server "${name}" cannot be reached: ${error ?? 'unknown reason'}. It is tried again in ${Math.ceil(wait_ms / 1000)} s.`,
      { server: name },
    );
  }

  /** What became of a request that was not answered. */
  ofRequest(thrown: unknown, method: string): unknown {
    const { name } = this.#definition;
    if (thrown instanceof WireTimeout) {
      return agentError(
        'TOOL_EXECUTION_TIMEOUT',
        `The MCP server "${name}" did not finish ${method}: ${thrown.message}. It was told to stop.`,
        { server: name, cause: thrown },
      );
    }
    if (thrown instanceof WireLost) {
      return agentError(
        'AGENT_UNAVAILABLE',
        `The MCP server "${name}" was lost during ${method}: ${this.#redact(thrown.message)}. It is started again; whether the call had an effect is not known.`,
        { server: name, cause: thrown },
      );
    }
    return thrown;
  }
}

/** Some answers of an HTTP server are about the one request; after the others there is no connection any more. */
export function isConnectionGone(thrown: unknown): boolean {
  if (!(thrown instanceof WireLost)) return false;
  const status = httpStatusOf(thrown);
  return status === undefined || status === 404 || status >= 500;
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
