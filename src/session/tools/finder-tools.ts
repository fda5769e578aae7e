import type { ModelTool } from '../model/model.ts';

const text = { type: 'string' } as const;

/** Offered instead of all tools when their definitions do not fit into the context: which tool agent, then its tools. */
export const FINDER_TOOLS: readonly ModelTool[] = [
  {
    name: 'find_tools',
    description:
      'Finds tools. Without arguments: the tool agents. With tool_agent: its tools. With query: the tools that match it.',
    parameters: {
      type: 'object',
      properties: { tool_agent: text, query: text },
      additionalProperties: false,
    },
  },
  {
    name: 'describe_tool',
    description: 'Shows the arguments of a tool. Use it before call_tool.',
    parameters: {
      type: 'object',
      properties: { name: text },
      required: ['name'],
      additionalProperties: false,
    },
  },
  {
    name: 'call_tool',
    description: 'Calls a tool by its name, with the arguments that describe_tool shows.',
    parameters: {
      type: 'object',
      properties: { name: text, arguments: { type: 'object' } },
      required: ['name'],
      additionalProperties: false,
    },
  },
];

export function isFinderTool(name: string): boolean {
  return FINDER_TOOLS.some((tool) => tool.name === name);
}
