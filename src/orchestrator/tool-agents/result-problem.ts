import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** Members that a block of a known type must have, as texts. A block of an unknown type is passed on. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/** Why an answer to `tools/call` is not the result of a tool; undefined when it is one, or asks for input. */
export function resultProblem(result: JsonObject): string | undefined {
  const { content, structuredContent, isError, resultType, _meta } = result;
  if (typeof resultType === 'string' && resultType !== 'complete') return undefined;
  if (content === undefined && structuredContent === undefined) return 'it has no content';
  if (content !== undefined && !Array.isArray(content)) return 'its content is not a list';
  if (isError !== undefined && typeof isError !== 'boolean') return 'its isError is not a boolean';
  if (_meta !== undefined && !isObject(_meta)) return 'its _meta is not an object';
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const bad = blocks.findIndex((block) => !isBlock(block));
  return bad === -1 ? undefined : `block ${bad + 1} of its content is malformed`;
}

function isBlock(block: unknown): boolean {
  if (!isObject(block) || typeof block['type'] !== 'string') return false;
  const { type, resource } = block;
  if (type === 'resource')
    return (
      isObject(resource) &&
      typeof resource['uri'] === 'string' &&
      [resource['text'], resource['blob']].some((each) => typeof each === 'string')
    );
  const texts = Object.hasOwn(TEXTS, type) ? (TEXTS[type] ?? []) : [];
  return texts.every((member) => typeof block[member] === 'string');
}
