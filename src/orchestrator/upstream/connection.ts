import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '../../domain/values/errors.ts';
import { isHttpAddress } from '../../domain/values/is-http-address.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { agentError } from '../servers/agent-error.ts';
import type { Channel } from '../../wire/channel.ts';
import { asLegacy, asModern, shakeHands, type Greeting } from './handshake.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { OAuthVault } from '../oauth/oauth-vault.ts';
import type { Era } from '../servers/protocol.ts';
import { RemoteChannel } from './remote-channel.ts';
import { RpcPeer, type PeerHandlers } from '../../wire/rpc-peer.ts';
import type { Redact } from '../../domain/values/redact.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
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
  readonly probe_ms: number;
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
    const { era, probe_ms } = options;
    const greeting = await shakeHands(peer, channel, { timeout_ms, probe_ms, era });
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
        ? `The file "${command}" of the MCP server "${name}" is not executable: chmod +x ${place}, or fix "command" of the server in fleet.yaml.`
        : `The program "${command}" of the MCP server "${name}" was not found. Install it, or fix "command" of the server in fleet.yaml.`,
      { server: name, command },
    );
  }
  if (!existsSync(cwd)) {
    throw agentError(
      'MCP_CONNECTION_FAILED',
      `The directory "${cwd}" of the MCP server "${name}" does not exist. Create it, or fix "cwd" of the server in fleet.yaml.`,
      { server: name, cwd },
    );
  }
  return new StdioChannel({ file, args, cwd, env: environment, marker, redact });
}

function refuseOtherAddress({ name, url = '' }: ServerDefinition): void {
  if (isHttpAddress(url)) return;
  throw agentError(
    'MCP_CONNECTION_FAILED',
    `The MCP server "${name}" has the url ${quote(url)}, which is not an http or https address. Fix "url" of the server in fleet.yaml.`,
    { server: name },
  );
}
