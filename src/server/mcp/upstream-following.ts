import { actorOf, type Caller } from '../../domain/principal.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import { isLoud } from '../../orchestrator/upstream/upstream-news.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { UpstreamContext } from './upstream-context.ts';

/** What a client wants to hear of upstream servers: that a resource changed, and what they log. */
export class UpstreamFollowing {
  readonly #service: ToolService;
  readonly #caller: Caller;
  readonly #context: UpstreamContext;

  constructor(service: ToolService, caller: Caller) {
    this.#service = service;
    this.#caller = caller;
    this.#context = new UpstreamContext(service, caller);
  }

  /** Has the server of a resource tell when it changes. Undefined when no server has it; else the function that ends it. */
  follow(uri: string, changed: () => void): (() => void) | undefined {
    const server = this.#context.serverOf(uri)?.serverName;
    if (server === undefined) return undefined;
    const { mcpManager } = this.#service.orchestrator;
    const stop = mcpManager.subscribe((change) => {
      if (change.kind !== 'notification' || change.server !== server) return;
      if (change.method === 'notifications/resources/updated' && change.params['uri'] === uri) changed();
    });
    this.#ask(server, 'resources/subscribe', { uri });
    return () => {
      stop();
      this.#ask(server, 'resources/unsubscribe', { uri });
    };
  }

  /** Has every server that logs do so from this level on. */
  setLevel(level: string): void {
    for (const { serverName, capabilities } of this.#context.servers()) {
      if (capabilities['logging'] !== undefined) this.#ask(serverName, 'logging/setLevel', { level });
    }
  }

  /** What servers log while they work for nobody. Returns the function that ends it. */
  onLog(level: () => string, told: (params: JsonObject) => void): () => void {
    return this.#service.orchestrator.mcpManager.subscribe((change) => {
      if (change.kind !== 'notification' || change.method !== 'notifications/message') return;
      if (!this.#service.offers.views.showsServer(this.#caller, change.server)) return;
      if (isLoud(change.params, level())) told(change.params);
    });
  }

  #ask(server: string, method: string, params: JsonObject): void {
    const owner = actorOf(this.#caller).principal;
    this.#service.orchestrator.mcpManager.request(server, { method, params, owner }).catch(() => {});
  }
}
