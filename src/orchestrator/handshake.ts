import { packageVersion } from '../platform/package.ts';
import type { Channel } from './channel.ts';
import { isObject, metaOf, type JsonObject } from './json-rpc.ts';
import {
  CAPABILITIES_META,
  LEGACY_VERSION,
  LOG_LEVEL_META,
  MODERN_VERSION,
  SERVER_META,
  withEnvelope,
  type Era,
} from './protocol.ts';
import { httpStatusOf, RpcError, WireTimeout } from './rpc-error.ts';
import type { RpcPeer } from './rpc-peer.ts';

/** What a server said of itself. */
export interface Greeting {
  readonly era: Era;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly server: JsonObject;
  readonly instructions: string | undefined;
}

/** Whoever is behind the door may be able to do these; one that is not says so when it is asked. */
export const OWN_CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const VERSION = packageVersion();

/** A server of the old era that does not know the question may not answer it at all. */
const PROBE_MS = 2_000;

export interface HandshakeOptions {
  readonly timeout_ms: number;
  /** What it was the last time. */
  readonly era: Era | undefined;
}

/** Finds out which era a server speaks, on the one connection there is, and greets it. */
export async function shakeHands(
  peer: RpcPeer,
  channel: Channel,
  { timeout_ms, era }: HandshakeOptions,
): Promise<Greeting> {
  const until = performance.now() + timeout_ms;
  const left = (): number => Math.max(1, until - performance.now());
  if (era !== 'legacy') {
    const found = await discover(peer, Math.min(PROBE_MS, left()));
    if (found !== undefined) {
      channel.setProtocolVersion?.(found.version);
      return found;
    }
  }
  const result = await peer.ask(
    'initialize',
    {
      protocolVersion: LEGACY_VERSION,
      capabilities: OWN_CAPABILITIES,
      clientInfo: { name: 'fleet-mcp', version: VERSION },
    },
    { timeout_ms: left() },
  );
  const version = typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : LEGACY_VERSION;
  channel.setProtocolVersion?.(version);
  peer.tell('notifications/initialized', {});
  return { era: 'legacy', version, ...saidOf(result, result['serverInfo']) };
}

/** What is said of the client's own abilities is passed on. */
export function asModern(params: JsonObject): JsonObject {
  const said = metaOf(params)[CAPABILITIES_META];
  const capabilities = isObject(said) ? said : OWN_CAPABILITIES;
  return withEnvelope(params, { name: 'fleet-mcp', version: VERSION, capabilities });
}

/** A server of the old era knows nothing of what the client can do. */
export function asLegacy(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  if (meta[CAPABILITIES_META] === undefined && meta[LOG_LEVEL_META] === undefined) return params;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(meta)) {
    if (key !== CAPABILITIES_META && key !== LOG_LEVEL_META) kept[key] = meta[key];
  }
  return { ...params, _meta: kept };
}

/** Undefined for a server of the old era. */
async function discover(peer: RpcPeer, timeout_ms: number): Promise<Greeting | undefined> {
  try {
    const result = await peer.ask('server/discover', asModern({}), { timeout_ms });
    const versions: unknown = result['supportedVersions'] ?? result['protocolVersions'];
    if (Array.isArray(versions) && !versions.includes(MODERN_VERSION)) return undefined;
    if (!isObject(result['capabilities'])) return undefined;
    return { era: 'modern', version: MODERN_VERSION, ...saidOf(result, metaOf(result)[SERVER_META]) };
  } catch (thrown) {
    if (thrown instanceof RpcError || thrown instanceof WireTimeout || httpStatusOf(thrown) !== undefined) {
      return undefined;
    }
    throw thrown;
  }
}

function saidOf(result: JsonObject, server: unknown): Omit<Greeting, 'era' | 'version'> {
  const { capabilities, instructions } = result;
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    server: isObject(server) ? server : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
