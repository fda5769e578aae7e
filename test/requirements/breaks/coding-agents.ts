import type { Break } from '../break.ts';

export const codingAgentBreaks: readonly Break[] = [
  {
    id: 'AGENT-attention-question',
    file: 'src/domain/status.ts',
    find: ' || approvals.some(({ seen }) => !seen)',
    replace: ' || approvals.length < 0',
  },
  {
    id: 'AGENT-cost-tokens',
    file: 'src/fleet/agent-view.ts',
    find: 'tokens: agent.state.usage?.tokens ?? null,',
    replace: 'tokens: null,',
  },
  {
    id: 'EV-approval',
    file: 'src/domain/changes.ts',
    find: "return add('approval.asked', {",
    replace: "return add('approval.answered', {",
  },
  {
    id: 'MCP-manager-tools',
    file: 'src/server/team-main.ts',
    find: "new Set(['read', 'operate'])",
    replace: "new Set(['read'])",
  },
  {
    id: 'CFG-role-agents-run',
    file: 'src/agents/adapter-of.ts',
    find: "agent.runs === 'node' ? [process.execPath, entry] : [entry]",
    replace: '[entry]',
  },
  {
    id: 'CFG-model',
    file: 'src/runner/acp/acp-session.ts',
    find: 'if (model !== null) {',
    replace: "if (model === '') {",
  },
  {
    id: 'ENV-own-kind',
    file: 'src/backends/local/environment.ts',
    find: '|| own?.test(entry[0]) === true',
    replace: '',
  },
  {
    id: 'CLI-approvals',
    file: 'src/cli/commands/deny.ts',
    find: "respondCommand(command, cli, 'deny')",
    replace: "respondCommand(command, cli, 'allow')",
  },
  {
    id: 'OP-scope-approve',
    file: 'src/operations/respond-approval.ts',
    find: "scopes: ['approve'],",
    replace: "scopes: ['operate'],",
  },
  {
    id: 'OP-log-levels-agent',
    file: 'src/runner/acp/conversation.ts',
    find: "=== 'agent_message_chunk' ? 'INFO' : 'DEBUG'",
    replace: "=== 'agent_message_chunk' ? 'INFO' : 'INFO'",
  },
  {
    id: 'OP-approvals-list',
    file: 'src/operations/list-approvals.ts',
    find: '({ ...approval, options: [...approval.options] })',
    replace: '({ ...approval, options: [] })',
  },
  {
    id: 'OP-approvals-respond',
    file: 'src/operations/respond-approval.ts',
    find: 'answered_by: actorOf(caller).principal };',
    replace: "answered_by: 'somebody' };",
  },
  {
    id: 'OP-approvals-not-self',
    file: 'src/fleet/approvals.ts',
    find: 'checkNotAsker(`agent:${agent.name}`, by);',
    replace: '',
  },
  {
    id: 'OP-approvals-first-wins',
    file: 'src/domain/state.ts',
    find: "case 'approval.answered':\n    case 'approval.closed':",
    replace: "case 'approval.closed':",
  },
  {
    id: 'OP-on-crash-resume',
    file: 'src/runner/acp/acp-agent.ts',
    find: "launch.on_crash !== 'resume'",
    replace: 'launch.on_crash !== undefined',
  },
  {
    id: 'FR-027',
    file: 'src/runner/acp/session-options.ts',
    find: "    system_prompt ?? '',\n",
    replace: '',
  },
];
