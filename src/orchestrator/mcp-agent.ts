import { agentError } from './agent-error.ts';
import { AgentLife } from './agent-life.ts';
import { isRepeatable } from './approval-gate.ts';
import { checkManifest } from './check-manifest.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { Offer } from './offers.ts';
import type {
  AgentHealth,
  AgentManifest,
  ToolAgent,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from './tool-agent.ts';
import type { ToolServers } from './tool-servers.ts';

/** A tool as it is offered, under the name that the orchestrator gave it. */
export interface OfferedTool {
  readonly name: string;
  /** The upstream server, or the registry, that has it. */
  readonly server: string;
  readonly tool: Offer;
  readonly gated: boolean;
}

/** A tool agent for one upstream server. */
export class McpAgent implements ToolAgent {
  readonly id: string;
  readonly name: string;
  readonly #servers: ToolServers;
  readonly #life: AgentLife;
  #tools: ReadonlyMap<string, OfferedTool> = new Map();
  #manifest: AgentManifest;

  constructor(id: string, server: string, servers: ToolServers) {
    this.id = id;
    this.name = server;
    this.#servers = servers;
    this.#manifest = this.#describe();
    checkManifest(this.#manifest, id);
    this.#life = new AgentLife({ id, initialize: async () => {}, shutdown: async () => {} });
  }

  get state() {
    return this.#life.state;
  }

  get manifest(): AgentManifest {
    return this.#manifest;
  }

  /** What its server offers now. */
  offer(tools: readonly OfferedTool[]): void {
    this.#tools = new Map(tools.map((each) => [each.name, each]));
    this.#manifest = this.#describe();
  }

  initialize(): Promise<void> {
    return this.#life.initialize();
  }

  shutdown(): Promise<void> {
    return this.#life.shutdown();
  }

  async execute(tool: string, args: JsonObject, call: ToolCall): Promise<ToolResult> {
    return this.toResult(await this.call(tool, { arguments: args }, call));
  }

  /** An answer of the server as a result of ours; one that says it is an error is a failure. */
  toResult(answer: JsonObject): ToolResult {
    const { content, structuredContent, isError } = answer;
    const data = structuredContent ?? content;
    return isError === true ? { success: false, error: textOf(content), data } : { success: true, data };
  }

  /** The whole answer of the server, as it gave it. */
  async call(name: string, params: JsonObject, call: ToolCall): Promise<JsonObject> {
    this.#life.run();
    const offered = this.#tools.get(name);
    if (offered === undefined) {
      throw agentError('TOOL_NOT_FOUND', `The MCP server "${this.name}" has no tool "${name}".`, {
        tool: name,
      });
    }
    const { signal, onProgress, onQuestion, onLog, caller } = call;
    const result = await this.#servers.request(this.name, {
      method: 'tools/call',
      params: { ...params, name: offered.tool.name },
      owner: `${caller.principal.kind}:${caller.principal.name}`,
      repeatable: isRepeatable(offered.tool),
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(onLog === undefined ? {} : { onLog }),
      ...(onQuestion === undefined ? {} : { onQuestion }),
    });
    if (isAnswer(result)) return result;
    throw agentError(
      'INVALID_RESPONSE',
      `The MCP server "${this.name}" answered ${name} with something that is no result of a tool.`,
      { server: this.name, tool: name },
    );
  }

  async health(): Promise<AgentHealth> {
    const connection = this.#connection();
    const well = connection !== undefined && (await this.#servers.isWell(this.name).catch(() => false));
    const asleep = well && connection.status === 'disconnected';
    return {
      agentId: this.id,
      status: asleep ? 'unknown' : well ? 'healthy' : 'unhealthy',
      ...(connection?.error === undefined ? {} : { message: connection.error }),
      lastChecked: new Date().toISOString(),
      toolCount: this.#tools.size,
    };
  }

  #connection(): McpConnection | undefined {
    return this.#servers.connections().find(({ serverName }) => serverName === this.name);
  }

  #describe(): AgentManifest {
    const tools = [...this.#tools.values()];
    return {
      id: this.id,
      name: this.name,
      tools: tools.map(toDefinition),
      capabilities: ['mcp'],
      requiresApproval: tools.some(({ gated }) => gated),
    };
  }
}

function toDefinition({ name, tool }: OfferedTool): ToolDefinition {
  const { description, inputSchema } = tool;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: isObject(inputSchema) ? inputSchema : { type: 'object' },
  };
}

function isAnswer(result: JsonObject): boolean {
  return (
    Array.isArray(result['content']) ||
    result['structuredContent'] !== undefined ||
    (typeof result['resultType'] === 'string' && result['resultType'] !== 'complete')
  );
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.join('\n') || 'the tool failed and did not say why';
}
