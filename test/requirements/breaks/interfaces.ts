import type { Break } from '../break.ts';

/** Callers: MCP, HTTP, the command line, and upstream MCP servers. */
export const interfaceBreaks: readonly Break[] = [
  {
    id: 'OP-scope-self',
    file: 'src/operations/invoke.ts',
    find: 'if (target === undefined || sameName(target, caller.self.agent_name)) return;',
    replace: 'return;',
  },
  {
    id: 'OP-scope-operate',
    file: 'src/operations/stop-agent.ts',
    find: "scopes: ['operate'],",
    replace: "scopes: ['operate', 'approve'],",
  },
  {
    id: 'OP-scope-approve',
    file: 'src/operations/respond-approval.ts',
    find: "scopes: ['approve'],",
    replace: "scopes: ['operate'],",
  },
  {
    id: 'OP-idempotent-same',
    file: 'src/operations/invoke.ts',
    find: 'if (known !== undefined) return known;',
    replace: '',
  },
  {
    id: 'OP-idempotent-other',
    file: 'src/store/call-ledger.ts',
    find: "if (row['input_hash'] !== hashOf(input)) {",
    replace: "if (row['input_hash'] === '') {",
  },
  {
    id: 'ERR-foreign',
    file: 'src/server/http/request-guard.ts',
    find: 'if (origin === undefined || origin',
    replace: "if (origin === undefined || origin === 'null' || origin",
  },
  {
    id: 'INTERFACE-serve-address',
    file: 'src/cli/commands/serve.ts',
    find: "'address to listen on', '127.0.0.1'",
    replace: "'address to listen on', '0.0.0.0'",
  },
  {
    id: 'INTERFACE-token',
    file: 'src/server/http/auth.ts',
    find: "const given = env['FLEET_TOKEN'];",
    replace: "const given = env['FLEET_SERVE_TOKEN'];",
  },
  {
    id: 'ERR-rate-limited',
    file: 'src/server/http/gate.ts',
    find: 'this.#inside >= this.#most',
    replace: 'this.#inside > 2 * this.#most',
  },
  {
    id: 'ERR-too-deep',
    file: 'src/operations/invoke.ts',
    find: 'checkDepth(raw,',
    replace: 'void checkDepth; void (raw,',
  },
  {
    id: 'EV-resume',
    file: 'src/server/http/event-request.ts',
    find: "request.headers.get('last-event-id') ?? cursor",
    replace: "cursor ?? request.headers.get('last-event-id')",
  },
  {
    id: 'MCP-stdout-clean',
    file: 'src/cli/commands/mcp.ts',
    find: 'const { serveMcpStdio } = await import(',
    replace: "cli.out.line('Serving MCP.');\n    const { serveMcpStdio } = await import(",
  },
  {
    id: 'MCP-stdio-new-era',
    file: 'src/server/stdio/draining-stdio.ts',
    find: 'deliver?.(message);',
    replace:
      "deliver?.('method' in message && message.method === 'server/discover' ? { ...message, method: 'discover' } : message);",
  },
  {
    id: 'MCP-http-old-era',
    file: 'src/server/relay/legacy-sessions.ts',
    find: 'void this.#sessions.set(id, session)',
    replace: 'void id',
  },
  {
    id: 'MCP-cancellation',
    file: 'src/server/mcp/mcp-tools.ts',
    find: '        signal,\n        progress: (message)',
    replace: '        signal: AbortSignal.timeout(40_000),\n        progress: (message)',
  },
  {
    id: 'MCP-approval-not-agent',
    file: 'src/orchestrator/calls/approval-requester.ts',
    find: "principal.kind !== 'agent' && ",
    replace: '',
  },
  {
    id: 'MCP-approval-not-token',
    file: 'src/orchestrator/calls/approval-requester.ts',
    find: "(principal.kind !== 'token' || scopes.has('approve'))",
    replace: 'scopes.size > 0',
  },
  {
    id: 'MCP-approval-runs-once',
    file: 'src/store/approval-store.ts',
    find: "this.#store.run('UPDATE approvals SET used = 1 WHERE id = ?', known.approval.id);",
    replace: '',
  },
  {
    id: 'MCP-approval-nonce',
    file: 'src/orchestrator/calls/signed-state.ts',
    find: "'wx', 0o600",
    replace: "'w', 0o600",
  },
  {
    id: 'ORCH-gate-pending',
    file: 'src/orchestrator/calls/tool-relay.ts',
    find: 'requester.check(params, client, gated)',
    replace: 'requester.check(params, client, false)',
  },
  {
    id: 'ORCH-gate-held',
    file: 'src/orchestrator/open-tools.ts',
    find: 'return seen.hold(definition, tools);',
    replace: 'return tools.map((tool) => ({ tool, loosened: [] }));',
  },
  {
    id: 'ORCH-one-child',
    file: 'src/orchestrator/host/steady-servers.ts',
    find: '    await startHost(home);\n    return undefined;',
    replace: 'return (await ToolsHost.open(`${home}/${process.pid}`))?.pool.attach();',
  },
  {
    id: 'ORCH-shutdown',
    file: 'src/orchestrator/upstream/stdio-channel.ts',
    find: '    await sweepRun(marker);\n',
    replace: '',
  },
  {
    id: 'ORCH-timeout-cancels',
    file: 'src/wire/rpc-peer.ts',
    find: "if (stream === undefined) this.tell('notifications/cancelled', { requestId: id, reason });",
    replace: 'if (stream === undefined) return;',
  },
  {
    id: 'ORCH-lost-noticed',
    file: 'src/orchestrator/upstream/health-watch.ts',
    find: 'if (!isBusy()) onLost(connection',
    replace: 'if (false) onLost(connection',
  },
  {
    id: 'ORCH-left-out',
    file: 'src/orchestrator/servers/portable-offers.ts',
    find: 'if (reason === undefined && isNamed(offer))',
    replace: 'if (isNamed(offer))',
  },
  {
    id: 'CLI-audit',
    file: 'src/operations/invoke.ts',
    find: 'note(() => fleet.ledger?.record({ ...call, outcome: code }), tell);',
    replace: 'void tell;',
  },
  {
    id: 'CLI-log-follow',
    file: 'src/cli/commands/log.ts',
    find: '    last = rows.at(-1)?.id ?? last;\n',
    replace: '',
  },
];
