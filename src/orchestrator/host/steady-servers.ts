import { setTimeout as delay } from 'node:timers/promises';
import { agentError } from '../servers/agent-error.ts';
import { HostLink } from './host-link.ts';
import { hostPaths } from './host-paths.ts';
import { HostMoved } from './host-wire.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import { NO_CALLS, type McpConnection } from '../servers/mcp-connection.ts';
import { OfferCache } from '../servers/offer-cache.ts';
import { NO_OFFERS } from '../servers/offers.ts';
import { serverKey, type ServerDefinition } from '../servers/server-definition.ts';
import { startHost } from './start-host.ts';
import { takeOverHost } from './take-over-host.ts';
import type { ServersChange, ToolServers } from '../servers/tool-servers.ts';
import { ToolsHost, type HostOptions } from './tools-host.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

const AGAIN_MS = 50;
const AGREE_MS = 2_000;
/** Longer than a host that is asked to make room takes to answer its last calls. */
const WAIT_MS = 40_000;

export interface SteadyParts {
  readonly home: string;
  /** True for a process that lives long: it hosts the servers itself, and takes them over from another. */
  readonly hosts: boolean;
  readonly options?: HostOptions;
}

/** The upstream servers of a fleet, wherever they are hosted at the moment: here, or in another process. A host that
 *  dies is replaced. */
export class SteadyServers implements ToolServers {
  readonly #parts: SteadyParts;
  readonly #listeners = new Set<(change: ServersChange) => void>();
  readonly #cache: OfferCache;
  readonly #ending = new AbortController();
  #definitions: readonly ServerDefinition[] = [];
  #host: ToolsHost | undefined;
  #link: ToolServers | undefined;
  #linking: Promise<ToolServers> | undefined;
  /** The host before makes room for this process. */
  readonly #agreed = Promise.withResolvers<void>();

  constructor(parts: SteadyParts) {
    this.#parts = parts;
    this.#cache = new OfferCache(parts.home);
  }

  connections(): readonly McpConnection[] {
    const known = new Map(this.#link?.connections().map((each) => [each.serverName, each]));
    return this.#definitions.map((definition) => known.get(definition.name) ?? this.#remembered(definition));
  }

  async declare(definitions: readonly ServerDefinition[]): Promise<void> {
    const before = this.#definitions;
    this.#definitions = definitions;
    if (this.#link !== undefined) await this.#link.declare(definitions);
    else if (definitions.length > 0) await this.#begin();
    for (const { name } of [...before, ...definitions]) this.#tell({ kind: 'connection', server: name });
  }

  request(server: string, request: UpstreamRequest): Promise<JsonObject> {
    return this.#on((link) => link.request(server, request));
  }

  isWell(server: string): Promise<boolean> {
    return this.#on((link) => link.isWell(server));
  }

  wake(server: string): Promise<void> {
    return this.#on((link) => link.wake(server));
  }

  retry(server: string): Promise<void> {
    return this.#on((link) => link.retry(server));
  }

  subscribe(listener: (change: ServersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#listeners.clear();
    await this.#linking?.catch(() => {});
    await this.#link?.[Symbol.asyncDispose]();
    this.#link = undefined;
    await this.#host?.[Symbol.asyncDispose]();
  }

  /** A host that is about to end refuses what is new; the next one is asked then. */
  async #on<Value>(ask: (link: ToolServers) => Promise<Value>): Promise<Value> {
    for (;;) {
      const link = this.#link ?? (await this.#linked());
      try {
        return await ask(link);
      } catch (thrown) {
        if (!(thrown instanceof HostMoved)) throw thrown;
        this.#lose(link);
      }
    }
  }

  #linked(): Promise<ToolServers> {
    if (this.#link !== undefined) return Promise.resolve(this.#link);
    this.#linking ??= this.#connect().finally(() => (this.#linking = undefined));
    return this.#linking;
  }

  async #connect(): Promise<ToolServers> {
    const until = performance.now() + WAIT_MS;
    while (performance.now() < until && !this.#ending.signal.aborted) {
      const link = await this.#reach();
      if (link !== undefined && (await this.#declared(link))) {
        this.#use(link);
        return link;
      }
      await delay(AGAIN_MS);
    }
    throw agentError(
      'AGENT_UNAVAILABLE',
      `No process that hosts the MCP servers of this fleet could be started; ${hostPaths(this.#parts.home).log} may say why.`,
    );
  }

  /** A process that hosts is open for calls only when no other process answers them any more, unless that one hangs. */
  async #begin(): Promise<void> {
    const linked = this.#linked().catch(() => {});
    if (!this.#parts.hosts) return;
    await Promise.race([linked, this.#agreed.promise, delay(AGREE_MS, undefined, { ref: false })]);
  }

  /** False when the host is of another version: it is asked to make room for one that is not. */
  async #declared(link: ToolServers): Promise<boolean> {
    try {
      await link.declare(this.#definitions);
      return true;
    } catch (thrown) {
      if (!(link instanceof HostLink)) throw thrown;
      await link.retireHost().catch(() => {});
      return false;
    }
  }

  async #reach(): Promise<ToolServers | undefined> {
    const { home, hosts } = this.#parts;
    if (hosts) return this.#takeOver();
    const link = await HostLink.open(hostPaths(home).socket);
    if (link !== undefined) return this.#follow(link);
    await startHost(home);
    return undefined;
  }

  async #takeOver(): Promise<ToolServers | undefined> {
    const { home, options } = this.#parts;
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(WAIT_MS)]);
    const taken = await takeOverHost(home, { options, signal, onAgreed: () => this.#agreed.resolve() });
    if (!(taken instanceof ToolsHost)) return taken && this.#follow(taken);
    this.#host = taken;
    return taken.pool.attach();
  }

  #follow(link: HostLink): HostLink {
    void this.#leaveWhenOver(link);
    return link;
  }

  async #leaveWhenOver(link: HostLink): Promise<void> {
    await link.over;
    link.leave();
    this.#lose(link);
  }

  #use(link: ToolServers): void {
    this.#link = link;
    link.subscribe((change) => this.#tell(change));
    for (const { name } of this.#definitions) this.#tell({ kind: 'connection', server: name });
  }

  #lose(link: ToolServers): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    if (!this.#ending.signal.aborted && this.#definitions.length > 0) void this.#linked().catch(() => {});
  }

  #remembered(definition: ServerDefinition): McpConnection {
    const known = this.#cache.read(serverKey(definition));
    return {
      serverName: definition.name,
      status: 'disconnected',
      ...(known?.offers ?? NO_OFFERS),
      offered: known !== undefined,
      capabilities: known?.capabilities ?? {},
      calls: NO_CALLS,
      ...(known?.instructions === undefined ? {} : { instructions: known.instructions }),
    };
  }

  #tell(change: ServersChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
