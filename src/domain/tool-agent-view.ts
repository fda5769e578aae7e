/** A tool agent as operations show it. */
export interface ToolAgentView {
  readonly id: string;
  readonly name: string;
  /** A registry of functions in this process, or one upstream MCP server. */
  readonly kind: 'registry' | 'mcp';
  readonly state: 'initialized' | 'running' | 'stopped';
  readonly manifest: {
    readonly id: string;
    readonly name: string;
    readonly tools: readonly ToolDefinitionView[];
    readonly capabilities: readonly string[];
    readonly requires_approval: boolean;
    readonly model_requirements?: string;
  };
  readonly health: {
    readonly agent_id: string;
    readonly status: 'healthy' | 'unhealthy' | 'unknown';
    readonly message: string | null;
    readonly last_checked: string;
    readonly tool_count: number;
  };
  /** The median of the newest calls. */
  readonly latency_ms: number | null;
  readonly calls: number;
  readonly errors: number;
  readonly left_out_tools: readonly { readonly name: string; readonly reason: string }[];
}

export interface ToolDefinitionView {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly examples?: readonly string[];
  readonly category?: string;
}
