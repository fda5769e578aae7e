import { agentError } from '../servers/agent-error.ts';
import { AgentLife } from './agent-life.ts';
import { isRepeatable } from './approval-gate.ts';
import { checkManifest } from './check-manifest.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { leftOutNote } from '../servers/left-out-note.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import type { Offer } from '../servers/offers.ts';
import { resultProblem } from './result-problem.ts';
import type {
  AgentHealth,
  AgentManifest,
  ToolAgent,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from './tool-agent.ts';
import { toToolResult } from './tool-answer.ts';
import type { ToolServers } from '../servers/tool-servers.ts';

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
  readonly #life = new AgentLife();
  #tools: ReadonlyMap<string, OfferedTool> = new Map();
  #manifest: AgentManifest;

  constructor(id: string, server: string, servers: ToolServers) {
    this.id = id;
    this.name = server;
    this.#servers = servers;
    this.#manifest = this.#describe();
    checkManifest(this.#manifest, id);
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

  async initialize(): Promise<void> {
    this.#life.initialize();
  }

  async shutdown(): Promise<void> {
    this.#life.shutdown();
  }

  async execute(tool: string, args: JsonObject, call: ToolCall): Promise<ToolResult> {
    return toToolResult(await this.call(tool, { arguments: args }, call));
  }

  /** The whole answer of the server, as it gave it. */
  async call(name: string, params: JsonObject, call: ToolCall): Promise<JsonObject> {
    this.#life.run(this.id);
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
    const problem = resultProblem(result);
    if (problem === undefined) return result;
    throw agentError(
      'INVALID_RESPONSE',
      `The MCP server "${this.name}" answered ${name} with a malformed result: ${problem}.`,
      { server: this.name, tool: name },
    );
  }

  async health(): Promise<AgentHealth> {
    const connection = this.#connection();
    const well = connection !== undefined && (await this.#servers.isWell(this.name).catch(() => false));
    const asleep = well && connection.status === 'disconnected';
    const message = connection?.error ?? leftOutNote(connection?.leftOut ?? []);
    return {
      agentId: this.id,
      status: asleep ? 'unknown' : well ? 'healthy' : 'unhealthy',
      ...(message === undefined ? {} : { message }),
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
