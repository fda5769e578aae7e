import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { actorOf, type Caller } from '../../domain/principal.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { McpConnection } from '../../orchestrator/servers/mcp-connection.ts';
import type { Offer } from '../../orchestrator/servers/offers.ts';
import type { Orchestrator } from '../../orchestrator/orchestrator.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { Views } from '../../orchestrator/views.ts';
import type { LinkedResources } from '../../orchestrator/calls/linked-resources.ts';
import { nameAskerIn } from '../../orchestrator/calls/name-asker.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';

/** Resources, prompts and completions of upstream servers. Resources keep their addresses; prompts are named as tools are. */
export class UpstreamContext {
  readonly #orchestrator: Orchestrator;
  readonly #views: Views;
  readonly #links: LinkedResources;
  readonly #caller: Caller;

  constructor(service: Pick<ToolService, 'orchestrator' | 'offers' | 'links'>, caller: Caller) {
    const { orchestrator, offers, links } = service;
    this.#orchestrator = orchestrator;
    this.#links = links;
    this.#views = offers.views;
    this.#caller = caller;
  }

  /** The first server that has an address keeps it. */
  resources(): readonly JsonObject[] {
    return unique(
      this.servers().flatMap(({ resources }) => resources),
      'uri',
    );
  }

  resourceTemplates(): readonly JsonObject[] {
    return unique(
      this.servers().flatMap(({ resourceTemplates }) => resourceTemplates),
      'uriTemplate',
    );
  }

  prompts(): readonly JsonObject[] {
    return this.servers().flatMap(({ serverName, prompts }) =>
      prompts.map((prompt) => ({ ...prompt, name: this.#orchestrator.promptName(serverName, prompt.name) })),
    );
  }

  /** Undefined when no server has it. */
  async read(uri: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const server = this.serverOf(uri);
    return server && this.#ask(server, 'resources/read', { uri }, signal);
  }

  /** The server that has a resource: it lists it, named it in a result for this caller, or has a template for it. */
  serverOf(uri: string): McpConnection | undefined {
    const servers = this.servers();
    const linked = this.#links.serverOf(this.#caller, uri);
    return (
      servers.find(({ resources }) => resources.some((resource) => resource['uri'] === uri)) ??
      servers.find(({ serverName }) => serverName === linked) ??
      servers.find(({ resourceTemplates }) => resourceTemplates.some((each) => matches(each, uri)))
    );
  }

  /** `given` is all that came with the name: arguments, and answers to what was asked before. */
  async getPrompt(name: string, given: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const found = this.#promptNamed(name);
    if (found === undefined) return undefined;
    const { server, prompt } = found;
    const got = await this.#ask(server, 'prompts/get', { ...given, name: prompt }, signal);
    this.#links.note(this.#caller, server.serverName, got);
    return got;
  }

  async complete(params: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const ref = isObject(params['ref']) ? params['ref'] : {};
    if (ref['type'] === 'ref/prompt') {
      const found = this.#promptNamed(String(ref['name']));
      if (found === undefined) return undefined;
      const own = { ...params, ref: { ...ref, name: found.prompt } };
      return this.#ask(found.server, 'completion/complete', own, signal);
    }
    const server = this.servers().find(({ resourceTemplates }) =>
      resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref['uri']),
    );
    return server && this.#ask(server, 'completion/complete', params, signal);
  }

  #promptNamed(name: string): { readonly server: McpConnection; readonly prompt: string } | undefined {
    for (const server of this.servers()) {
      const prompt = server.prompts.find(
        (each) => this.#orchestrator.promptName(server.serverName, each.name) === name,
      );
      if (prompt !== undefined) return { server, prompt: prompt.name };
    }
    return undefined;
  }

  /** Those that are there, and that the caller may see. */
  servers(): readonly McpConnection[] {
    if (!this.#caller.scopes.has('read')) return [];
    return this.#orchestrator.mcpManager
      .connections()
      .filter(({ offered, serverName }) => offered && this.#views.showsServer(this.#caller, serverName));
  }

  async #ask(
    { serverName }: McpConnection,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const owner = actorOf(this.#caller).principal;
    try {
      const request = { method, params, owner, signal, repeatable: true };
      return nameAskerIn(serverName, await this.#orchestrator.mcpManager.request(serverName, request));
    } catch (thrown) {
      if (thrown instanceof RpcError) throw new ProtocolError(thrown.code, thrown.message, thrown.data);
      const error = reportDefect(thrown, method);
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message, error.toBody());
    }
  }
}

function unique(offers: readonly Offer[], key: string): readonly JsonObject[] {
  const seen = new Map<unknown, Offer>();
  for (const offer of offers) if (!seen.has(offer[key])) seen.set(offer[key], offer);
  return [...seen.values()];
}

/** A part in braces stands for some text; one with a sign in it for any. */
function matches({ uriTemplate }: Offer, uri: string): boolean {
  if (typeof uriTemplate !== 'string') return false;
  const parts = uriTemplate.split(/(\{[^{}]*\})/).map((part) => {
    if (!part.startsWith('{')) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return /^\{[+#/.;?&]/.test(part) ? '.*' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}$`).test(uri);
}
