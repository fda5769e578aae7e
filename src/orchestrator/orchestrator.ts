import { setTimeout as delay } from 'node:timers/promises';
import { FleetError, quote } from '../domain/values/errors.ts';
import { nearest, withoutFullStop } from '../domain/values/text.ts';
import { agentError } from './servers/agent-error.ts';
import { agentsHealth } from './agents-health.ts';
import { ArgumentCheck } from './arguments/argument-check.ts';
import { isObject, type JsonObject } from '../wire/json-rpc.ts';
import { McpAgent, type OfferedTool } from './tool-agents/mcp-agent.ts';
import { McpAgents } from './tool-agents/mcp-agents.ts';
import { measureCall } from './measure-call.ts';
import { registered, toolsOf } from './tool-agents/registered-tools.ts';
import { toToolAnswer, toToolResult } from './tool-agents/tool-answer.ts';
import type { McpConnection } from './servers/mcp-connection.ts';
import { OfferAnnouncer, type OfferChange } from './offer-announcer.ts';
import {
  offerUpstream,
  type OfferUpstreamParts,
  type ServerPolicy,
  type UpstreamTool,
} from './tool-agents/offer-upstream.ts';
import { OrchestratorMetrics } from './orchestrator-metrics.ts';
import type {
  AgentHealth,
  ToolAgent,
  ToolAgentFactory,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from './tool-agents/tool-agent.ts';
import { offeredName, type Collision } from './tool-agents/tool-names.ts';
import type { ToolServers } from './servers/tool-servers.ts';

const SHUTDOWN_MS = 5_000;
const HEALTH_MS = 1_000;

export interface OrchestratorParts {
  readonly servers: ToolServers;
  /** By the name of the server. */
  policy(server: string): ServerPolicy;
  /** Patterns of tools that ask a person first, whatever their server says. */
  rules(): readonly string[];
  /** The tools of a server with the hints that count; as they are unless given. */
  hold?: OfferUpstreamParts['hold'];
}

/** One table of tools over all tool agents, and the way of a call to the one that has its tool. */
export class Orchestrator implements AsyncDisposable {
  readonly agents = new Map<string, ToolAgent>();
  readonly factories = new Map<string, ToolAgentFactory>();
  readonly toolToAgent = new Map<string, string>();
  readonly mcpManager: ToolServers;
  readonly metrics = new OrchestratorMetrics();
  /** Tool agents that could not be made, by their ids. */
  readonly failures = new Map<string, FleetError>();
  readonly #parts: OrchestratorParts;
  readonly #arguments = new ArgumentCheck();
  readonly #mcp: McpAgents;
  readonly #stop: () => void;
  #upstream: ReadonlyMap<string, UpstreamTool> = new Map();
  #registered: ReadonlyMap<string, OfferedTool> = new Map();
  #collisions: readonly Collision[] = [];
  readonly #announcer = new OfferAnnouncer();

  constructor(parts: OrchestratorParts) {
    this.#parts = parts;
    this.mcpManager = parts.servers;
    this.#mcp = new McpAgents(parts.servers, this.agents);
    this.#stop = parts.servers.subscribe((change) => {
      if (change.kind === 'connection') this.refresh();
    });
    this.refresh();
  }

  /** Names that two tools wanted, and what became of them. */
  get collisions(): readonly Collision[] {
    return this.#collisions;
  }

  /** The tools of upstream servers as they are offered. */
  get upstreamTools(): readonly UpstreamTool[] {
    return [...this.#upstream.values()];
  }

  /** The tools of registries as they are offered; those of the fleet itself are among them. */
  get registeredTools(): readonly OfferedTool[] {
    return [...this.#registered.values()];
  }

  /** How a prompt of a server is named: as its tools are. */
  promptName(server: string, prompt: string): string {
    return this.#parts.policy(server).prefix ? offeredName(server, prompt) : prompt;
  }

  /** A tool that is there now, wherever it is from. */
  offeredNow(name: string): OfferedTool | undefined {
    return this.#upstream.get(name) ?? this.#registered.get(name);
  }

  /** Called when other things are offered than before. Returns the function that ends it. */
  onOffersChanged(listener: (change: OfferChange) => void): () => void {
    return this.#announcer.subscribe(listener);
  }

  /** Adds a tool agent, or a factory that makes it when it is needed. */
  async register(added: ToolAgent | ToolAgentFactory): Promise<void> {
    const isFactory = 'create' in added;
    if (this.agents.has(added.id) || this.factories.has(added.id)) {
      throw new FleetError('CONFLICT', `There is a tool agent ${quote(added.id)} already.`, { field: 'id' });
    }
    const double = toolsOf(added).find(({ name }) => this.toolToAgent.has(name) && !this.#upstream.has(name));
    if (double !== undefined) {
      throw new FleetError('CONFLICT', `There is a tool ${quote(double.name)} already.`, { field: 'name' });
    }
    if (isFactory) this.factories.set(added.id, added);
    else {
      await added.initialize();
      this.agents.set(added.id, added);
    }
    this.refresh();
  }

  /** Rejects when the tool agent did not shut down; it is gone all the same. */
  async unregister(id: string): Promise<void> {
    const agent = this.agents.get(id);
    this.agents.delete(id);
    this.factories.delete(id);
    this.refresh();
    await agent?.shutdown().catch((cause: unknown) => {
      this.metrics.countError('AGENT_SHUTDOWN_FAILED');
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw agentError(
        'AGENT_SHUTDOWN_FAILED',
        `The tool agent "${id}" did not shut down: ${withoutFullStop(reason)}.`,
        { agent: id, cause },
      );
    });
  }

  getToolDefinitions(): readonly ToolDefinition[] {
    const upstream = [...this.agents.values()].filter((each) => each instanceof McpAgent);
    return [...this.#own, ...upstream].flatMap(toolsOf);
  }

  /** Calls a tool by its name. */
  async execute(tool: string, args: JsonObject, call: ToolCall): Promise<ToolResult> {
    await this.find(tool, call.signal);
    const agent = await this.#agentOf(tool);
    if (agent instanceof McpAgent) return toToolResult(await this.call(tool, { arguments: args }, call));
    return measureCall(this.metrics, { server: agent.id, tool, call }, () => agent.execute(tool, args, call));
  }

  /** The tool with this name. Another process may have written what a server offers; a server whose tools are not known
   *  yet is asked for them. */
  async find(name: string, signal?: AbortSignal): Promise<OfferedTool | undefined> {
    if (!this.toolToAgent.has(name)) this.refresh();
    const known = this.offeredNow(name);
    if (known !== undefined || this.toolToAgent.has(name)) return known;
    const sleeping = this.mcpManager
      .connections()
      .find(({ serverName, offered }) => !offered && name.startsWith(`${serverName}__`));
    if (sleeping === undefined) return undefined;
    await this.mcpManager.wake(sleeping.serverName);
    signal?.throwIfAborted();
    this.refresh();
    return this.#upstream.get(name);
  }

  /** Calls a tool by its name and gives its answer as MCP has it; that of an upstream server as it came. */
  async call(name: string, params: JsonObject, call: ToolCall): Promise<JsonObject> {
    const { arguments: given } = params;
    const args = isObject(given) ? given : {};
    const upstream = this.#upstream.get(name);
    if (upstream === undefined) return toToolAnswer(await this.execute(name, args, call));
    const { agent, tool } = upstream;
    return await measureCall(this.metrics, { server: agent.name, tool: name, call }, async () => {
      this.#arguments.check(name, tool['inputSchema'], args);
      if (agent.state === 'stopped') await agent.initialize();
      const result = await agent.call(name, params, call);
      if (result['isError'] === true) this.metrics.countError('TOOL_EXECUTION_FAILED');
      return result;
    });
  }

  /** Why the tool agent that would have this tool could not be made. */
  failureOf(tool: string): { readonly agent: string; readonly error: FleetError } | undefined {
    for (const [agent, error] of this.failures) if (tool.startsWith(`${agent}__`)) return { agent, error };
    return undefined;
  }

  notFound(
    name: string,
    known: readonly string[] = this.getToolDefinitions().map((tool) => tool.name),
  ): FleetError {
    const hint = nearest(name, known);
    const meant =
      hint === undefined ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean "${hint}"?`;
    return agentError('TOOL_NOT_FOUND', `There is no tool ${quote(name)}. ${meant}`, { tools: known });
  }

  health(within_ms = HEALTH_MS): Promise<readonly AgentHealth[]> {
    return agentsHealth(this, within_ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all(
      [...this.agents.values()].map((agent) =>
        Promise.race([agent.shutdown().catch(() => {}), delay(SHUTDOWN_MS, undefined, { ref: false })]),
      ),
    );
    await this.mcpManager[Symbol.asyncDispose]();
  }

  /** Reads again what every server offers. */
  refresh(): void {
    const connections = this.mcpManager.connections();
    const own = this.#own;
    const rules = this.#parts.rules();
    const { tools, collisions } = offerUpstream(connections, {
      taken: own.flatMap(toolsOf).map(({ name }) => name),
      agentOf: (server) => this.#mcp.of(server),
      policy: (server) => this.#parts.policy(server),
      rules,
      hold: this.#parts.hold ?? ((_server, offers) => offers.map((tool) => ({ tool, loosened: [] }))),
    });
    this.#collisions = collisions;
    this.#upstream = tools;
    this.#registered = registered(own, rules);
    this.#mcp.follow(connections);
    this.toolToAgent.clear();
    for (const each of own) for (const { name } of toolsOf(each)) this.toolToAgent.set(name, each.id);
    for (const { name, agent } of this.#upstream.values()) this.toolToAgent.set(name, agent.id);
    this.#announce(connections);
  }

  #announce(connections: readonly McpConnection[]): void {
    const offered = connections.filter((each) => each.offered);
    this.#announcer.look({
      tools: [...this.#upstream.values(), ...this.#registered.values()].map(({ name, tool }) => [name, tool]),
      resources: offered.map(({ resources, resourceTemplates }) => [resources, resourceTemplates]),
      prompts: offered.map(({ serverName, prompts }) => [serverName, prompts]),
    });
  }

  /** Tool agents that are not of upstream servers: those that are made, and factories of the others. */
  get #own(): readonly (ToolAgent | ToolAgentFactory)[] {
    const made = [...this.agents.values()].filter((each) => !(each instanceof McpAgent));
    return [...made, ...[...this.factories.values()].filter(({ id }) => !this.agents.has(id))];
  }

  async #agentOf(tool: string): Promise<ToolAgent> {
    const id = this.toolToAgent.get(tool);
    if (id === undefined) throw this.failureOf(tool)?.error ?? this.notFound(tool);
    const made = this.agents.get(id) ?? this.factories.get(id)?.create();
    if (made === undefined) {
      throw agentError('AGENT_NOT_FOUND', `There is no tool agent ${quote(id)}.`, { agent: id });
    }
    this.agents.set(id, made);
    await made.initialize();
    return made;
  }
}
