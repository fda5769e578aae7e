import { FleetError } from '../../domain/values/errors.ts';
import { cut, nearest } from '../../domain/values/text.ts';
import { searchTools } from '../../orchestrator/calls/tool-search.ts';
import { type JsonObject } from '../../wire/json-rpc.ts';
import { resultText } from './result-text.ts';
import { schemaWithin } from './schema-within.ts';
import type { SessionTool } from './session-tool.ts';

const DESCRIPTION = 160;
const FRAME = 60;

/** The answer of a finder tool, in about so many characters, or the call that it stands for. */
export function findTools(
  { name, arguments: args }: { readonly name: string; readonly arguments: JsonObject },
  tools: readonly SessionTool[],
  limit: number,
): { readonly text: string } | { readonly tool: string; readonly arguments: unknown } {
  if (name === 'call_tool') return { tool: String(args['name'] ?? ''), arguments: args['arguments'] ?? {} };
  const offered = tools.map((tool) => offer(name === 'describe_tool' ? within(tool, limit) : tool));
  if (name === 'describe_tool' || typeof args['query'] === 'string') {
    const wanted = name === 'describe_tool' ? name : 'search_tools';
    const given = wanted === name ? args : { query: args['query'] };
    const found = searchTools({ name: wanted, arguments: given }, offered);
    return { text: 'answer' in found ? resultText(found.answer) : '' };
  }
  return { text: JSON.stringify(byToolAgent(args['tool_agent'], tools)) };
}

function offer({ name, description, parameters: inputSchema }: SessionTool): JsonObject {
  return { name, description, inputSchema };
}

/** A definition that is cut off in the middle would be of no use. */
function within(tool: SessionTool, limit: number): SessionTool {
  const description = cut(tool.description, Math.max(DESCRIPTION, Math.floor(limit / 4)));
  const left = limit - FRAME - tool.name.length - JSON.stringify(description).length;
  return { ...tool, description, parameters: schemaWithin(tool.parameters, left) };
}

function byToolAgent(wanted: unknown, tools: readonly SessionTool[]): JsonObject {
  const groups = Map.groupBy(tools, ({ server }) => server);
  if (typeof wanted !== 'string' || wanted === '') {
    return {
      tool_agents: [...groups].map(([name, all]) => ({ name, tools: all.length })),
      next: 'Call find_tools with tool_agent.',
    };
  }
  const found = groups.get(wanted);
  if (found === undefined) {
    const hint = nearest(wanted, groups.keys());
    const meant =
      hint === undefined ? `There are: ${[...groups.keys()].join(', ')}.` : `Did you mean "${hint}"?`;
    throw new FleetError('NOT_FOUND', `There is no tool agent "${wanted}". ${meant}`, {
      reason: 'AGENT_NOT_FOUND',
    });
  }
  return {
    tools: found.map(({ name, description }) => ({ name, description: cut(description, DESCRIPTION) })),
    next: 'Call describe_tool, then call_tool.',
  };
}
