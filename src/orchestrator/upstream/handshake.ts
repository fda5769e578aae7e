import { setTimeout as delay } from 'node:timers/promises';
import { packageVersion } from '../../platform/package.ts';
import type { Channel } from '../../wire/channel.ts';
import { isObject, metaOf, type JsonObject } from '../../wire/json-rpc.ts';
import {
  CAPABILITIES_META,
  LEGACY_VERSION,
  LOG_LEVEL_META,
  MODERN_VERSION,
  SERVER_META,
  withEnvelope,
  type Era,
} from '../servers/protocol.ts';
import { httpStatusOf, RpcError } from '../../wire/rpc-error.ts';
import type { RpcPeer } from '../../wire/rpc-peer.ts';

/** What a server said of itself. */
export interface Greeting {
  readonly era: Era;
  /** False when the server may speak the new era too, and was only slow to answer. */
  readonly isSure: boolean;
  readonly version: string;
  readonly capabilities: JsonObject;
  readonly server: JsonObject;
  readonly instructions: string | undefined;
}

/** The client may support these; one that does not says so when it is asked. */
export const OWN_CAPABILITIES: JsonObject = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const VERSION = packageVersion();
const UNSUPPORTED_VERSION = -32_022;
/** What servers over HTTP answer to a request that they do not know. */
const REFUSING: readonly (number | undefined)[] = [400, 404, 405];

export interface HandshakeOptions {
  readonly timeout_ms: number;
  /** A server of the old era may ignore the probe: after this long `initialize` is sent as well. */
  readonly probe_ms: number;
  /** The era that the server is known to speak. */
  readonly era: Era | undefined;
}

/** Finds out which era a server speaks, on the one connection there is, and greets it. A server that starts slowly may be
 *  sent both `server/discover` and `initialize`; its first answer decides. */
export async function shakeHands(
  peer: RpcPeer,
  channel: Channel,
  options: HandshakeOptions,
): Promise<Greeting> {
  using attempt = new Attempt(peer, options.timeout_ms);
  const greeting =
    options.era === 'legacy' ? await attempt.initialize({ isSure: true }) : await probed(attempt, options);
  channel.setProtocolVersion?.(greeting.version);
  if (greeting.era === 'legacy') peer.tell('notifications/initialized', {});
  return greeting;
}

async function probed(
  attempt: Attempt,
  { timeout_ms, probe_ms }: Pick<HandshakeOptions, 'timeout_ms' | 'probe_ms'>,
): Promise<Greeting> {
  const discovered = attempt.discover();
  const late = delay(Math.min(probe_ms, timeout_ms / 2), 'late' as const, { ref: false });
  try {
    const early = await Promise.race([discovered, late]);
    if (early !== 'late') return early;
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return attempt.initialize({ isSure: true });
  }
  const initialized = attempt.initialize({ isSure: false });
  try {
    return await Promise.any([discovered, initialized]);
  } catch {
    // Neither was accepted. The server's answer to `initialize` says most about why.
    return initialized;
  }
}

/** The two ways to greet one server, within one time limit. Disposing it ends the one that is still open. */
class Attempt implements Disposable {
  readonly #peer: RpcPeer;
  readonly #until: number;
  readonly #over = new AbortController();

  constructor(peer: RpcPeer, timeout_ms: number) {
    this.#peer = peer;
    this.#until = performance.now() + timeout_ms;
  }

  async discover(): Promise<Greeting> {
    const result = await this.#ask('server/discover', asModern({}));
    const versions: unknown = result['supportedVersions'] ?? result['protocolVersions'];
    if (Array.isArray(versions) && !versions.includes(MODERN_VERSION)) throw unsupported(versions);
    if (!isObject(result['capabilities'])) throw new RpcError(-32_603, 'the answer has no capabilities');
    const said = saidOf(result, metaOf(result)[SERVER_META]);
    return { era: 'modern', isSure: true, version: MODERN_VERSION, ...said };
  }

  /** A server that refuses it may speak the new era alone. */
  async initialize({ isSure }: Pick<Greeting, 'isSure'>): Promise<Greeting> {
    const clientInfo = { name: 'fleet-mcp', version: VERSION };
    const params = { protocolVersion: LEGACY_VERSION, capabilities: OWN_CAPABILITIES, clientInfo };
    try {
      const result = await this.#ask('initialize', params);
      const { protocolVersion } = result;
      const version = typeof protocolVersion === 'string' ? protocolVersion : LEGACY_VERSION;
      return { era: 'legacy', isSure, version, ...saidOf(result, result['serverInfo']) };
    } catch (thrown) {
      if (!(thrown instanceof RpcError) && !REFUSING.includes(httpStatusOf(thrown))) throw thrown;
      return this.discover().catch(() => {
        throw explained(thrown);
      });
    }
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #ask(method: string, params: JsonObject): Promise<JsonObject> {
    const timeout_ms = Math.max(1, this.#until - performance.now());
    // The protocol forbids to cancel `initialize`.
    return this.#peer.ask(method, params, { timeout_ms, signal: this.#over.signal, quiet: true });
  }
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof RpcError || httpStatusOf(thrown) !== undefined;
}

function explained(refusal: unknown): unknown {
  if (!(refusal instanceof RpcError)) return refusal;
  const { data, code } = refusal;
  const supported = isObject(data) ? data['supported'] : undefined;
  return code === UNSUPPORTED_VERSION && Array.isArray(supported) ? unsupported(supported) : refusal;
}

function unsupported(versions: readonly unknown[]): RpcError {
  return new RpcError(
    UNSUPPORTED_VERSION,
    `it speaks the protocol versions ${versions.map(String).join(', ') || 'none'}, and Fleet ${MODERN_VERSION} and ${LEGACY_VERSION} or older`,
    { supported: versions },
  );
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

function saidOf(
  result: JsonObject,
  server: unknown,
): Pick<Greeting, 'capabilities' | 'server' | 'instructions'> {
  const { capabilities, instructions } = result;
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    server: isObject(server) ? server : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
