import { once } from 'node:events';
import { connect } from 'node:net';
import { errorOfBody, FleetError } from '../../domain/values/errors.ts';
import { packageVersion } from '../../platform/package.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { methodNotFound, RpcError, WireLost } from '../../wire/rpc-error.ts';
import { RpcPeer } from '../../wire/rpc-peer.ts';
import { SocketChannel } from '../../wire/socket-channel.ts';
import type { CallOptions } from './run-operation.ts';

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'fleet', version: packageVersion() },
};

/** Calls an operation as an agent that runs a team, by the MCP server that its runner keeps for it. */
export async function callTeam(
  socket: string,
  { name, input }: { readonly name: string; readonly input: object },
  { signal, progress }: CallOptions,
): Promise<unknown> {
  const wire = connect(socket);
  try {
    await once(wire, 'connect');
  } catch (cause) {
    throw unreachable(cause);
  }
  const peer = new RpcPeer(new SocketChannel(wire), {
    onRequest: async ({ method }) => Promise.reject(methodNotFound(method)),
    onNotification: () => {},
    onClose: () => {},
  });
  const close = (): void => void wire.destroy();
  signal?.addEventListener('abort', close, { once: true });
  try {
    await peer.ask('initialize', INITIALIZE);
    peer.tell('notifications/initialized', {});
    const onProgress = ({ message }: JsonObject): void => {
      if (typeof message === 'string') progress?.(message);
    };
    return answerOf(await peer.ask('tools/call', { name, arguments: input }, { onProgress }));
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof RpcError) throw new FleetError('INVALID_INPUT', thrown.message, {}, thrown);
    throw thrown instanceof WireLost ? unreachable(thrown) : thrown;
  } finally {
    signal?.removeEventListener('abort', close);
    wire.destroy();
  }
}

function answerOf(fields: JsonObject): unknown {
  if (fields['isError'] !== true) return fields['structuredContent'];
  const meta = isObject(fields['_meta']) ? fields['_meta']['fleet-mcp/error'] : undefined;
  throw errorOfBody({ error: meta }) ?? new FleetError('INTERNAL_ERROR', 'The fleet gave no reason.');
}

function unreachable(cause: unknown): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    'The fleet cannot be reached from inside this agent. Try again.',
    { reason: 'team_unreachable' },
    cause,
  );
}
