import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'MCP-text',
    source: 'contract MCP',
    text: 'Every successful result carries the same JSON as text.',
  },
  {
    id: 'MCP-output-schema',
    source: 'contract MCP',
    text: 'Every tool has an outputSchema, and the structuredContent of every successful result validates against it.',
  },
  {
    id: 'MCP-titles',
    source: 'contract MCP; seed 001 Tool contract format',
    text: 'Every tool has a title and a description, and each of its inputs has a description.',
  },
  {
    id: 'MCP-annotations',
    source: 'contract MCP',
    text: 'Every tool has readOnlyHint, destructiveHint and idempotentHint that match what it does.',
  },
  {
    id: 'MCP-stdio-old-era',
    source: 'contract MCP',
    text: 'A client of 2025-11-25 or earlier can initialize, list and call tools on stdio.',
  },
  {
    id: 'MCP-stdio-new-era',
    source: 'contract MCP',
    text: 'A client of 2026-07-28 can discover, list and call tools on stdio.',
  },
  {
    id: 'MCP-http-old-era',
    source: 'contract MCP',
    text: 'A client of 2025-11-25 or earlier gets a session and can call tools at /mcp.',
  },
  {
    id: 'MCP-http-new-era',
    source: 'contract MCP',
    text: 'A client of 2026-07-28 can call tools at the same /mcp without a session.',
  },
  {
    id: 'MCP-discover',
    source: 'contract MCP',
    text: 'server/discover answers the versions, capabilities and server info of the fleet.',
  },
  {
    id: 'MCP-subscriptions-listen',
    source: 'contract MCP',
    text: 'subscriptions/listen delivers resource updates to a client of the new era.',
  },
  {
    id: 'MCP-progress',
    source: 'contract MCP; contract wait_for_agents',
    text: 'wait_for_agents sends progress while it waits to a client that gave a progress token.',
  },
  {
    id: 'MCP-cancellation',
    source: 'contract MCP',
    text: 'A client that cancels wait_for_agents ends the wait and nothing else.',
  },
  {
    id: 'MCP-resources',
    source: 'contract MCP Resources',
    text: 'fleet://agents, fleet://agents/{name} and fleet://agents/{name}/log hold the list, the details and the log.',
  },
  {
    id: 'MCP-resource-updates',
    source: 'contract MCP Resources',
    text: 'A subscriber of the old era is told when the resource it subscribed to has changed.',
  },
  {
    id: 'MCP-completions',
    source: 'contract MCP',
    text: 'Completions are given for agent, project and role names.',
  },
  {
    id: 'MCP-prompts',
    source: 'contract MCP',
    text: 'Prompts are offered for delegating a spec, reviewing the fleet and unblocking an agent.',
  },
  {
    id: 'MCP-instructions',
    source: 'contract MCP',
    text: 'The server gives instructions of at most 2 KB.',
  },
  {
    id: 'MCP-tool-list',
    source: 'contract MCP',
    text: 'By default the listed tools take at most 26 kB without output schemas, and those of kept work are listed with fleet mcp --tools all or by a view.',
  },
  {
    id: 'MCP-stdout-clean',
    source: 'contract Orchestrator behaviour',
    text: 'fleet mcp writes nothing but protocol on stdout.',
  },
  {
    id: 'MCP-no-questions',
    source: 'contract MCP',
    text: 'The own operations of the fleet act without asking the client first.',
  },
  {
    id: 'MCP-rule-asks',
    source: 'contract MCP',
    text: 'An own operation that a configured rule names asks before it acts.',
  },
  {
    id: 'MCP-approval-input-required',
    source: 'contract MCP approval',
    text: 'A destructive upstream call by a client of the new era gets an input-required result with signed state.',
  },
  {
    id: 'MCP-approval-nonce',
    source: 'contract MCP approval',
    text: 'The signed state of an approval is accepted once by any process of the FLEET_HOME and never twice.',
  },
  {
    id: 'MCP-malformed-params',
    source: 'contract MCP; contract Errors',
    text: 'Malformed parameters of an MCP request are refused with -32602 and one sentence.',
  },
  {
    id: 'MCP-approval-carried',
    source: 'contract MCP approval',
    text: "The approval of a call lasts over all of the server's own questions in it, and is used up when the call ends.",
  },
  {
    id: 'MCP-approval-elicitation',
    source: 'contract MCP approval',
    text: 'A destructive upstream call by a client of the old era asks by elicitation.',
  },
  {
    id: 'MCP-approval-not-agent',
    source: 'contract MCP approval',
    text: "An input-required or elicitation answer counts as the person's, is never taken from the principal of an agent, and can be turned off.",
  },
  {
    id: 'MCP-approval-not-token',
    source: 'contract MCP approval',
    text: 'An input-required or elicitation answer is never taken from a token that was made without the scope approve.',
  },
  {
    id: 'MCP-approval-pending',
    source: 'contract MCP approval',
    text: 'Where the client can be asked in neither way, the call makes a pending approval and is APPROVAL_REQUIRED.',
  },
  {
    id: 'MCP-approval-runs-once',
    source: 'contract MCP approval',
    text: 'An allowed call runs once, for the same principal with the same arguments.',
  },
  {
    id: 'MCP-manager-tools',
    source: 'contract Words role',
    text: 'An agent with the manager role has the operations of the fleet as tools.',
  },
];
