import { toFleetError } from '../../domain/values/errors.ts';
import { agentError } from '../servers/agent-error.ts';
import { AgentLife } from './agent-life.ts';
import { ArgumentCheck } from '../arguments/argument-check.ts';
import { CallSamples } from '../servers/call-samples.ts';
import { checkManifest, checkOwnTools } from './check-manifest.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { CallStatistics } from '../servers/mcp-connection.ts';
import type { OfferedTool } from './mcp-agent.ts';
import type { AgentHealth, AgentManifest, ToolAgent, ToolCall, ToolResult } from './tool-agent.ts';
import type { RegistryTool, ToolRegistry } from './tool-registry.ts';

/** A tool agent that wraps a registry of plain functions. */
export class RegistryAgent implements ToolAgent {
  readonly id: string;
  readonly name: string;
  readonly manifest: AgentManifest;
  readonly #tools: ReadonlyMap<string, RegistryTool>;
  readonly #arguments = new ArgumentCheck();
  readonly #life = new AgentLife();
  readonly #calls = new CallSamples();

  constructor({ id, name, capabilities, tools }: ToolRegistry) {
    this.id = id;
    this.name = name;
    this.manifest = {
      id,
      name,
      tools: tools.map(({ run: _run, gated: _gated, annotations: _hints, ...definition }) => definition),
      capabilities,
      requiresApproval: tools.some(({ gated }) => gated === true),
    };
    checkManifest(this.manifest, id);
    checkOwnTools(tools);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Its tools as MCP describes them. */
  get offered(): readonly OfferedTool[] {
    return [...this.#tools.values()].map(
      ({ run: _run, gated = false, parameters, examples: _examples, category: _category, ...tool }) => ({
        name: tool.name,
        server: this.id,
        tool: { ...tool, inputSchema: parameters },
        gated,
      }),
    );
  }

  /** Calls of its tools by this process. */
  get calls(): CallStatistics {
    return this.#calls.statistics;
  }

  get state() {
    return this.#life.state;
  }

  async initialize(): Promise<void> {
    this.#life.initialize();
  }

  async shutdown(): Promise<void> {
    this.#life.shutdown();
  }

  async execute(tool: string, args: JsonObject, call: ToolCall): Promise<ToolResult> {
    this.#life.run(this.id);
    const found = this.#tools.get(tool);
    if (found === undefined) {
      throw agentError('TOOL_NOT_FOUND', `The tool agent "${this.id}" has no tool "${tool}".`, { tool });
    }
    const began = performance.now();
    let isFailed = true;
    try {
      this.#arguments.check(tool, found.parameters, args);
      const result = await resultOf(found, args, call);
      isFailed = !result.success;
      return result;
    } finally {
      this.#calls.add(performance.now() - began, isFailed && call.signal?.aborted !== true);
    }
  }

  async health(): Promise<AgentHealth> {
    const lastChecked = new Date().toISOString();
    const status = this.state === 'stopped' ? 'unknown' : 'healthy';
    return { agentId: this.id, status, lastChecked, toolCount: this.#tools.size };
  }
}

async function resultOf(found: RegistryTool, args: JsonObject, call: ToolCall): Promise<ToolResult> {
  try {
    return { success: true, data: await found.run(args, call) };
  } catch (thrown) {
    call.signal?.throwIfAborted();
    return { success: false, error: toFleetError(thrown).message, data: toFleetError(thrown).toBody() };
  }
}
