import { z } from 'zod';
import { defineOperation, READ } from './operation.ts';

const tool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()).describe('A JSON Schema of type object'),
  examples: z.array(z.string()).optional(),
  category: z.string().optional(),
});

export const listToolAgents = defineOperation({
  name: 'list_tool_agents',
  title: 'List tool agents',
  description:
    'List the providers of tools: MCP servers, tool modules and the fleet itself, with their tools, health and calls.',
  input: z.strictObject({}),
  output: z.object({
    tool_agents: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        kind: z.enum(['registry', 'mcp']),
        state: z.enum(['initialized', 'running', 'stopped']),
        manifest: z.object({
          id: z.string(),
          name: z.string(),
          tools: z.array(tool),
          capabilities: z.array(z.string()),
          requires_approval: z.boolean(),
          model_requirements: z.string().optional(),
        }),
        health: z.object({
          agent_id: z.string(),
          status: z.enum(['healthy', 'unhealthy', 'unknown']),
          message: z.string().nullable(),
          last_checked: z.iso.datetime(),
          tool_count: z.int(),
        }),
        latency_ms: z.number().nullable().describe('Median of the newest calls'),
        calls: z.int(),
        errors: z.int(),
        left_out_tools: z
          .array(z.object({ name: z.string(), reason: z.string() }))
          .describe('Tools that are not offered, because clients would refuse them'),
      }),
    ),
  }),
  scopes: ['read'],
  hints: READ,
  route: { method: 'GET', path: '/tool-agents' },
  handle: async ({ fleet, caller }) => ({
    tool_agents: (await fleet.toolAgents.list(caller)).map((agent) => ({
      ...agent,
      manifest: {
        ...agent.manifest,
        tools: agent.manifest.tools.map(({ examples, ...each }) => ({
          ...each,
          ...(examples === undefined ? {} : { examples: [...examples] }),
        })),
        capabilities: [...agent.manifest.capabilities],
      },
      left_out_tools: [...agent.left_out_tools],
    })),
  }),
});
