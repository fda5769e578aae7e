import type { JsonObject } from '../../wire/json-rpc.ts';
import type { ToolCall, ToolDefinition } from './tool-agent.ts';

/** A tool that is a plain function. */
export interface RegistryTool extends ToolDefinition {
  /** Asks a person first. */
  readonly gated?: boolean;
  /** As MCP has them: readOnlyHint, destructiveHint, … */
  readonly annotations?: JsonObject;
  run(args: JsonObject, call: ToolCall): Promise<unknown>;
}

/** Tools that are plain functions, under one name. */
export interface ToolRegistry {
  readonly id: string;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly tools: readonly RegistryTool[];
}
