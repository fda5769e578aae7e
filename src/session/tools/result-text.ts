import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** What the model reads of a result of MCP: its texts, and of other content only what kind it is. */
export function resultText({ content, structuredContent }: JsonObject): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = blocks.map((block) => {
    if (typeof block['text'] === 'string') return block['text'];
    const resource = block['resource'];
    if (isObject(resource) && typeof resource['text'] === 'string') return resource['text'];
    const address = block['uri'] ?? (isObject(resource) ? resource['uri'] : undefined);
    return `[${String(block['type'])}${address === undefined ? '' : ` ${String(address)}`}]`;
  });
  if (texts.length > 0) return texts.join('\n');
  return structuredContent === undefined ? 'Done.' : JSON.stringify(structuredContent);
}
