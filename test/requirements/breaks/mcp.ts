import type { Break } from '../break.ts';

export const mcpBreaks: readonly Break[] = [
  {
    id: 'MCP-text',
    file: 'src/server/mcp-tools.ts',
    find: 'text: JSON.stringify(answer) }], structuredContent',
    replace: "text: 'Done' }], structuredContent",
  },
  {
    id: 'MCP-output-schema',
    file: 'src/operations/list-agents.ts',
    find: 'total_count: z.int(),',
    replace: 'total_count: z.string(),',
  },
  {
    id: 'MCP-titles',
    file: 'src/operations/inputs.ts',
    find: ".describe('Page number, from 1')",
    replace: '',
  },
  {
    id: 'MCP-annotations',
    file: 'src/server/mcp-tools.ts',
    find: 'destructiveHint: operation.hints.destructive,',
    replace: 'destructiveHint: !operation.hints.readOnly,',
  },
  {
    id: 'MCP-stdio-old-era',
    file: 'src/server/stdio.ts',
    find: '      transport: wire,',
    replace: "      transport: wire,\n      legacy: 'reject',",
  },
  {
    id: 'MCP-stdio-new-era',
    file: 'src/server/patient-wire.ts',
    find: 'deliver?.(message);',
    replace:
      "deliver?.('method' in message && message.method === 'server/discover' ? { ...message, method: 'discover' } : message);",
  },
  {
    id: 'MCP-http-old-era',
    file: 'src/server/legacy-sessions.ts',
    find: 'void this.#sessions.set(id, session)',
    replace: 'void id',
  },
  {
    id: 'MCP-http-new-era',
    file: 'src/server/mcp-http.ts',
    find: 'if (await isLegacyRequest(request))',
    replace: 'if (request.url !== "" || (await isLegacyRequest(request)))',
  },
  {
    id: 'MCP-discover',
    file: 'src/server/mcp-server.ts',
    find: "name: 'fleet-mcp',",
    replace: "name: 'fleet',",
  },
  {
    id: 'MCP-subscriptions-listen',
    file: 'src/server/mcp-http.ts',
    find: 'updates?.subscribe((uri) => listener(',
    replace: 'updates?.subscribe((uri) => void (',
  },
  {
    id: 'MCP-progress',
    file: 'src/server/mcp-tools.ts',
    find: 'progress: (message) => progress.send(message),',
    replace: '',
  },
  {
    id: 'MCP-cancellation',
    file: 'src/server/mcp-tools.ts',
    find: '        signal,\n        progress: (message)',
    replace: '        signal: AbortSignal.timeout(40_000),\n        progress: (message)',
  },
  {
    id: 'MCP-resources',
    file: 'src/server/mcp-resources.ts',
    find: 'page_size: LOG_ENTRIES }',
    replace: '}',
  },
  {
    id: 'MCP-resource-updates',
    file: 'src/server/mcp-resources.ts',
    find: 'if (changed === uri.toLowerCase())',
    replace: "if (changed === uri.toLowerCase() && !uri.endsWith('/log'))",
  },
  {
    id: 'MCP-completions',
    file: 'src/server/mcp-completions.ts',
    find: "case 'delegate_spec.role':\n      return 'role';",
    replace: "case 'delegate_spec.role':\n      return 'project';",
  },
  {
    id: 'MCP-prompts',
    file: 'src/server/mcp-prompts.ts',
    find: "name: 'unblock_agent',",
    replace: "name: 'unblock',",
  },
  {
    id: 'MCP-instructions',
    file: 'src/server/mcp-instructions.ts',
    find: 'other codes need another call.`;',
    replace: 'other codes need another call.` + "\\nSay what you have done.".repeat(20);',
  },
  {
    id: 'MCP-stdout-clean',
    file: 'src/cli/commands/mcp.ts',
    find: 'const { serveMcpStdio } = await import(',
    replace: "cli.out.line('Serving MCP.');\n    const { serveMcpStdio } = await import(",
  },
  {
    id: 'MCP-no-questions',
    file: 'src/server/mcp-tools.ts',
    find: '      const answer = await invoke(',
    replace:
      "      if (params.name === 'delete_agent') await server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }).catch(() => {});\n      const answer = await invoke(",
  },
  {
    id: 'MCP-rule-asks',
    file: 'src/orchestrator/registered-tools.ts',
    find: 'each.gated || isGated(',
    replace: 'each.gated && isGated(',
  },
  {
    id: 'MCP-approval-not-agent',
    file: 'src/server/approval-desk.ts',
    find: "client.caller.principal.kind !== 'agent' && ",
    replace: '',
  },
];
