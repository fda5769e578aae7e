import { DEEPEST } from '../../domain/values/check-depth.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { withoutFullStop } from '../../domain/values/text.ts';
import { agentError } from '../servers/agent-error.ts';
import {
  AnswerTooLarge,
  httpStatusOf,
  MalformedAnswer,
  WireLost,
  WireTimeout,
} from '../../wire/rpc-error.ts';
import type { Redact } from '../../domain/values/redact.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';

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
    const reason = withoutFullStop(this.reason(thrown));
    const late = this.#isLate(thrown) ? 'NETWORK_TIMEOUT' : undefined;
    return agentError(
      late ?? (greeted ? 'MCP_TOOL_DISCOVERY_FAILED' : 'MCP_CONNECTION_FAILED'),
      greeted
        ? `The MCP server "${name}" does not list its tools: ${reason}.`
        : `The MCP server "${name}" cannot be reached: ${reason}. fleet tools shows its state.`,
      { server: name, cause: thrown },
    );
  }

  /** Nobody waits for a server that failed again and again. */
  hopeless(error: string | undefined, wait_ms: number): FleetError {
    const { name } = this.#definition;
    return agentError(
      'AGENT_UNAVAILABLE',
      `The MCP server "${name}" cannot be reached: ${withoutFullStop(error ?? 'unknown reason')}. Fleet retries in ${Math.ceil(wait_ms / 1000)} s.`,
      { server: name },
    );
  }

  /** An answer that no program can pass on as JSON. */
  tooDeep(method: string): FleetError {
    const { name } = this.#definition;
    return agentError(
      'INVALID_RESPONSE',
      `The MCP server "${name}" answered ${method} with JSON that is nested more than ${DEEPEST} levels deep.`,
      { server: name },
    );
  }

  /** True when a server behind an address did not answer in time. */
  #isLate(thrown: unknown): boolean {
    if (this.#definition.url === undefined) return false;
    return thrown instanceof WireTimeout || hasLateCause(thrown);
  }

  /** What became of a request that was not answered. */
  ofRequest(thrown: unknown, method: string): unknown {
    const { name } = this.#definition;
    if (thrown instanceof WireTimeout) {
      const isTool = method === 'tools/call' || !this.#isLate(thrown);
      return agentError(
        isTool ? 'TOOL_EXECUTION_TIMEOUT' : 'NETWORK_TIMEOUT',
        `The MCP server "${name}" did not finish ${method}: ${thrown.message}. The call was canceled.`,
        { server: name, cause: thrown },
      );
    }
    if (this.#isLate(thrown)) {
      return agentError(
        'NETWORK_TIMEOUT',
        `The MCP server "${name}" did not accept ${method} in time: ${withoutFullStop(this.#redact(textOf(thrown)))}.`,
        { server: name, cause: thrown },
      );
    }
    if (thrown instanceof MalformedAnswer) {
      return agentError(
        'INVALID_RESPONSE',
        `The MCP server "${name}" answered ${method} with a malformed message: ${thrown.message}.`,
        { server: name, cause: thrown },
      );
    }
    if (thrown instanceof AnswerTooLarge) {
      const { limit } = thrown;
      return new FleetError(
        'TOO_LARGE',
        `The MCP server "${name}" answered ${method} with more than ${limit} bytes (${limit / 1024 / 1024} MiB), which is the limit of one answer. Request less data. The call may have taken effect.`,
        { server: name, limit },
        thrown,
      );
    }
    if (thrown instanceof WireLost) {
      return agentError(
        'AGENT_UNAVAILABLE',
        `The MCP server "${name}" was lost during ${method}: ${withoutFullStop(this.#redact(thrown.message))}. It is being restarted; the call may have taken effect.`,
        { server: name, cause: thrown },
      );
    }
    return thrown;
  }
}

/** What the system and the HTTP client call it when the other end does not answer. */
const LATE = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

function hasLateCause(thrown: unknown): boolean {
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if ('code' in at && LATE.some((code) => code === at.code)) return true;
  }
  return false;
}

/** Some answers of an HTTP server are about the one request; after the others the connection is gone. */
export function isConnectionGone(thrown: unknown): boolean {
  if (!(thrown instanceof WireLost)) return false;
  const status = httpStatusOf(thrown);
  return status === undefined || status === 404 || status >= 500;
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
