import type { Caller } from '../../domain/principal.ts';
import { isObject, metaOf, paramsOf, type JsonObject, type RpcRequest } from '../../wire/json-rpc.ts';
import {
  CAPABILITIES_META,
  CLIENT_META,
  LOG_LEVEL_META,
  MODERN_VERSION,
  PROTOCOL_META,
} from '../../orchestrator/servers/protocol.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { RelayClient } from '../../orchestrator/calls/relay-client.ts';
import type { ToolRelay } from '../../orchestrator/calls/tool-relay.ts';

/** True for a well-formed call of the new era, whose headers say what its body says. One that is not well formed is the
 *  server's to refuse. */
export function isModernCall(message: RpcRequest, header: (name: string) => string | undefined): boolean {
  const params = paramsOf(message);
  const meta = metaOf(params);
  return (
    meta[PROTOCOL_META] === MODERN_VERSION &&
    isObject(meta[CAPABILITIES_META]) &&
    (meta[CLIENT_META] === undefined || isObject(meta[CLIENT_META])) &&
    header('mcp-method') === 'tools/call' &&
    header('mcp-protocol-version') === MODERN_VERSION &&
    header('mcp-name') === params['name'] &&
    header('content-type')?.startsWith('application/json') === true &&
    ['application/json', 'text/event-stream'].every((type) => header('accept')?.includes(type))
  );
}

export interface ModernParts {
  readonly relay: ToolRelay;
  readonly caller: Caller;
  /** Aborted when the client has gone: in the new era that is how it cancels. */
  readonly signal: AbortSignal;
}

/** Answers a call of the new era. */
export async function relayModern(
  message: RpcRequest,
  reply: { write(message: JsonObject): void },
  { relay, caller, signal }: ModernParts,
): Promise<void> {
  const params = paramsOf(message);
  const said = metaOf(params)[CAPABILITIES_META];
  const client: RelayClient = {
    caller,
    era: 'modern',
    capabilities: isObject(said) ? said : {},
    signal,
    ...logLevelIn(params),
    tell: (method, told) => reply.write({ jsonrpc: '2.0', method, params: told }),
  };
  const outcome = await outcomeOf(relay, params, client);
  if (!signal.aborted) reply.write({ jsonrpc: '2.0', id: message.id, ...outcome });
}

/** What the answer to a call has beside its id. */
export async function outcomeOf(
  relay: ToolRelay,
  params: JsonObject,
  client: RelayClient,
): Promise<{ readonly result: JsonObject } | { readonly error: JsonObject }> {
  try {
    return { result: await relay.call(params, client) };
  } catch (thrown) {
    return { error: RpcError.from(thrown).toJson() };
  }
}

/** A client of the new era says with each call what it wants to hear of the log. */
export function logLevelIn(params: JsonObject): { readonly logLevel?: string } {
  const level = metaOf(params)[LOG_LEVEL_META];
  return typeof level === 'string' ? { logLevel: level } : {};
}
