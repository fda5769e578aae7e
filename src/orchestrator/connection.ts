import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '../domain/errors.ts';
import { isHttpAddress } from '../domain/is-http-address.ts';
import { findProgram } from '../platform/find-program.ts';
import { agentError } from './agent-error.ts';
import type { Channel } from './channel.ts';
import { asLegacy, asModern, shakeHands, type Greeting } from './handshake.ts';
import type { JsonObject } from './json-rpc.ts';
import type { OAuthVault } from './oauth-vault.ts';
import type { Era } from './protocol.ts';
import { RemoteChannel } from './remote-channel.ts';
import { RpcPeer, type PeerHandlers } from './rpc-peer.ts';
import type { Redact } from './secrets.ts';
import type { ServerDefinition } from './server-definition.ts';
import { StdioChannel } from './stdio-channel.ts';

/** A server that was greeted, and everything that is said to it. */
export interface Connection {
  readonly peer: RpcPeer;
  readonly greeting: Greeting;
  readonly pid: number | undefined;
  /** Parameters as the era of this server wants them. */
  prepare(params: JsonObject): JsonObject;
}

export interface ConnectOptions extends PeerHandlers {
  readonly marker: string;
  readonly redact: Redact;
  readonly vault: OAuthVault;
  readonly era: Era | undefined;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** Starts or reaches a server and greets it. Nothing is left of one that does not get that far. */
export async function connect(definition: ServerDefinition, options: ConnectOptions): Promise<Connection> {
  const channel = await openChannel(definition, options);
  const peer = new RpcPeer(channel, options);
  const stop = (): void => void peer.close();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    const { timeout_ms } = definition;
    const greeting = await shakeHands(peer, channel, { timeout_ms, era: options.era });
    return {
      peer,
      greeting,
      pid: channel instanceof StdioChannel ? channel.pid : undefined,
      prepare: greeting.era === 'modern' ? asModern : asLegacy,
    };
  } catch (thrown) {
    await peer.close();
    throw thrown;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}

async function openChannel(
  definition: ServerDefinition,
  { marker, redact, vault }: Pick<ConnectOptions, 'marker' | 'redact' | 'vault'>,
): Promise<Channel> {
  const { name, command, args, cwd, env, base, missing } = definition;
  if (missing.length > 0) {
    throw agentError(
      'MCP_CONNECTION_FAILED',
      `The MCP server "${name}" needs the environment variable ${missing.map((each) => `"${each}"`).join(', ')}, which is not set. Set it and start fleet again.`,
      { server: name, variables: missing },
    );
  }
  if (command === undefined) {
    refuseOtherAddress(definition);
    return RemoteChannel.open(definition, { redact, vault });
  }
  const environment = { ...base, ...env };
  const place = command.includes('/') ? join(command.startsWith('/') ? '/' : cwd, command) : command;
  const file = findProgram(place, environment['PATH']);
  if (file === undefined) {
    throw agentError(
      'MCP_CONNECTION_FAILED',
      command.includes('/') && existsSync(place)
        ? `The file "${command}" of the MCP server "${name}" is no program that can be run: chmod +x ${place}, or mend "command" of the server in fleet.yaml.`
        : `The program "${command}" of the MCP server "${name}" was not found. Install it, or mend "command" of the server in fleet.yaml.`,
      { server: name, command },
    );
  }
  if (!existsSync(cwd)) {
    throw agentError(
      'MCP_CONNECTION_FAILED',
      `The directory "${cwd}" of the MCP server "${name}" is not there. Make it, or mend "cwd" of the server in fleet.yaml.`,
      { server: name, cwd },
    );
  }
  return new StdioChannel({ file, args, cwd, env: environment, marker, redact });
}

function refuseOtherAddress({ name, url = '' }: ServerDefinition): void {
  if (isHttpAddress(url)) return;
  throw agentError(
    'MCP_CONNECTION_FAILED',
    `The MCP server "${name}" has the url ${quote(url)}, which is no address of http or https. Mend "url" of the server in fleet.yaml.`,
    { server: name },
  );
}
