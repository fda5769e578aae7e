import { isObject, type JsonObject } from './json-rpc.ts';
import type { ToolResult } from './tool-agent.ts';

/** A result of ours as MCP has it. */
export function toToolAnswer(result: ToolResult): JsonObject {
  const { data } = result;
  if (!result.success) {
    const error = isObject(data) && isObject(data['error']) ? data['error'] : undefined;
    const body = error === undefined ? result.error : JSON.stringify({ error });
    return {
      isError: true,
      content: [{ type: 'text', text: body }],
      ...(error === undefined ? {} : { _meta: { 'fleet-mcp/error': error } }),
    };
  }
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
  return {
    content: [{ type: 'text', text }],
    ...(isObject(data) ? { structuredContent: { ...data } } : {}),
  };
}
