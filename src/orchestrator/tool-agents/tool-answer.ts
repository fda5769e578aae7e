import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
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

/** An answer of MCP as a result of ours; one that says it is an error is a failure. */
export function toToolResult({ content, structuredContent, isError }: JsonObject): ToolResult {
  const data = structuredContent ?? content;
  return isError === true ? { success: false, error: textOf(content), data } : { success: true, data };
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = blocks.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.join('\n') || 'the tool failed and did not say why';
}
