import { FleetError, quote } from '../../domain/values/errors.ts';
import { cut, nearest } from '../../domain/values/text.ts';
import { ArgumentCheck } from '../arguments/argument-check.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

const SHOWN = 10;
const MOST = 50;
const DESCRIPTION = 200;
const text = { type: 'string' } as const;
const only = { additionalProperties: false } as const;

/** By which a client finds and calls tools that it was not listed: hundreds of them cost a model more than it can use. */
export const SEARCH_TOOLS: readonly (JsonObject & { readonly name: string })[] = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description: 'Finds tools by what they do. Answers with their names and descriptions, the best first.',
    inputSchema: {
      type: 'object',
      properties: { query: text, limit: { type: 'integer', minimum: 1, maximum: MOST, default: SHOWN } },
      required: ['query'],
      ...only,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description: 'The full definition of a tool: its arguments, its answer, its hints.',
    inputSchema: { type: 'object', properties: { name: text }, required: ['name'], ...only },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that search_tools found, with the arguments that describe_tool shows.',
    inputSchema: {
      type: 'object',
      properties: { name: text, arguments: { type: 'object' } },
      required: ['name'],
      ...only,
    },
  },
];

const check = new ArgumentCheck();

export function isSearchTool(name: string): boolean {
  return SEARCH_TOOLS.some((tool) => tool.name === name);
}

/** The answer of a search among tools, or the call that is meant. */
export function searchTools(
  params: JsonObject,
  offered: readonly JsonObject[],
): { readonly answer: JsonObject } | { readonly call: JsonObject } {
  const tool = SEARCH_TOOLS.find(({ name }) => name === params['name']);
  const args = isObject(params['arguments']) ? params['arguments'] : {};
  check.check(String(tool?.name), tool?.['inputSchema'], args);
  if (tool?.name === 'search_tools') return { answer: found(args, offered) };
  const name = String(args['name']);
  if (tool?.name === 'call_tool') return { call: { ...params, name, arguments: args['arguments'] ?? {} } };
  const described = offered.find((each) => each['name'] === name);
  if (described !== undefined) return { answer: toAnswer({ tool: described }) };
  const hint = nearest(
    name,
    offered.map((each) => String(each['name'])),
  );
  const meant = hint === undefined ? 'Look for it with search_tools.' : `Did you mean "${hint}"?`;
  throw new FleetError('NOT_FOUND', `There is no tool ${quote(name)}. ${meant}`, {
    reason: 'TOOL_NOT_FOUND',
  });
}

function found({ query, limit }: JsonObject, offered: readonly JsonObject[]): JsonObject {
  const words = wordsIn(String(query));
  const ranked = offered
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const shown = ranked.slice(0, typeof limit === 'number' ? limit : SHOWN);
  return toAnswer({
    tools: shown.map(({ tool: { name, description, title } }) => ({
      name,
      description: cut(String(description ?? title ?? ''), DESCRIPTION),
    })),
    total_count: ranked.length,
  });
}

/** A word in the name says more than one in the description; the beginning of one is enough. */
function scoreOf({ name, title, description }: JsonObject, words: readonly string[]): number {
  const called = wordsIn(`${String(name)} ${String(title ?? '')}`);
  const said = wordsIn(String(description ?? ''));
  const has = (all: readonly string[], word: string): boolean => all.some((each) => each.startsWith(word));
  return words.reduce((score, word) => score + (has(called, word) ? 3 : 0) + (has(said, word) ? 1 : 0), 0);
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function toAnswer(value: JsonObject): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
