import type { Caller } from '../../domain/principal.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

export type ToolAgentState = 'initialized' | 'running' | 'stopped';

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object, kept whole. */
  readonly parameters: JsonObject;
  readonly examples?: readonly string[];
  readonly category?: string;
}

export interface AgentManifest {
  readonly id: string;
  readonly name: string;
  readonly tools: readonly ToolDefinition[];
  /** What it is good for: lowercase words with hyphens. */
  readonly capabilities: readonly string[];
  /** True when at least one of its tools asks a person first. */
  readonly requiresApproval: boolean;
  readonly modelRequirements?: string;
}

export type ToolResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: string; readonly data?: unknown };

export interface AgentHealth {
  readonly agentId: string;
  readonly status: 'healthy' | 'unhealthy' | 'unknown';
  readonly message?: string;
  readonly lastChecked: string;
  readonly toolCount: number;
}

/** Who calls a tool, and what may happen meanwhile. */
export interface ToolCall extends Pick<UpstreamRequest, 'signal' | 'onProgress' | 'onQuestion' | 'onLog'> {
  readonly caller: Caller;
  /** The same in the logs, the audit and the errors of one call. */
  readonly correlation_id: string;
}

/** A provider of tools inside the orchestrator. */
export interface ToolAgent {
  readonly id: string;
  readonly name: string;
  readonly state: ToolAgentState;
  readonly manifest: AgentManifest;
  initialize(): Promise<void>;
  execute(tool: string, args: JsonObject, call: ToolCall): Promise<ToolResult>;
  shutdown(): Promise<void>;
  health(): Promise<AgentHealth>;
}

/** Makes a tool agent when one of its tools is first called. */
export interface ToolAgentFactory {
  readonly id: string;
  readonly tools: readonly ToolDefinition[];
  create(): ToolAgent;
}
