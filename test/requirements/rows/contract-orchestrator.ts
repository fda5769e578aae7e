import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'ORCH-names-prefixed',
    source: 'contract Names are unique',
    text: 'An upstream tool is offered as <server>__<tool>, or by its bare name with prefix false, and the own tools of the fleet keep their names.',
  },
  {
    id: 'ORCH-names-shortened',
    source: 'contract Names are unique',
    text: 'An upstream name has only A–Z, a–z, 0–9, _ and -, at most 64 of them, and a longer one is shortened the same way every time.',
  },
  {
    id: 'ORCH-names-collision',
    source: 'contract Names are unique',
    text: 'A collision of names is reported and neither drops nor shadows the other tool.',
  },
  {
    id: 'ORCH-schema-whole',
    source: 'contract ToolDefinition',
    text: 'The parameters of an upstream tool are kept whole, nested schemas and enums too.',
  },
  {
    id: 'ORCH-remote-server',
    source: 'contract MCPServerConfig',
    text: 'A server with url and headers is connected over HTTP with those headers.',
  },
  {
    id: 'ORCH-execute-signal',
    source: 'contract ToolAgent',
    text: 'execute() ends when its signal is aborted.',
  },
  {
    id: 'ORCH-call-timeout',
    source: 'contract Orchestrator numbers',
    text: 'An upstream call ends with TOOL_EXECUTION_TIMEOUT after 30 s without progress or at a hard maximum, and an own operation does not.',
  },
  {
    id: 'ORCH-connect-timeout',
    source: 'contract Orchestrator numbers',
    text: 'A server that does not connect in 10 s is SERVICE_UNAVAILABLE with details.reason MCP_CONNECTION_FAILED.',
  },
  {
    id: 'ORCH-shutdown',
    source: 'contract Orchestrator numbers',
    text: 'Shutting down takes at most 5 s for each tool agent and goes side by side.',
  },
  {
    id: 'ORCH-retry',
    source: 'contract Orchestrator numbers',
    text: 'A call that is safe to repeat is retried once after 3 s when the connection failed, and any other never.',
  },
  {
    id: 'ORCH-reconnect',
    source: 'contract Orchestrator numbers',
    text: 'A lost server is reconnected with backoff of at most 30 s between tries.',
  },
  {
    id: 'ORCH-lost-noticed',
    source: 'contract Orchestrator numbers',
    text: 'A lost server is noticed in 10 s or less, and routing and health answer in 1 s or less.',
  },
  {
    id: 'ORCH-tools-follow',
    source: 'contract Orchestrator behaviour',
    text: 'Tools become routable when their server connects and stop being offered when it goes, with tools/list_changed to clients.',
  },
  {
    id: 'ORCH-one-child',
    source: 'contract Orchestrator behaviour',
    text: 'One server of one FLEET_HOME never has two child processes, however many clients there are.',
  },
  {
    id: 'ORCH-upstream-error',
    source: 'contract Orchestrator behaviour',
    text: 'An upstream result with isError is a failure.',
  },
  {
    id: 'ORCH-timeout-cancels',
    source: 'contract Orchestrator behaviour',
    text: 'A time-out sends notifications/cancelled upstream.',
  },
  {
    id: 'ORCH-pass-through',
    source: 'contract Orchestrator behaviour',
    text: 'Annotations, structuredContent, progress, elicitation and list_changed of an upstream pass through.',
  },
  {
    id: 'ORCH-gate-hint',
    source: 'contract Orchestrator behaviour; contract fleet.yaml approve',
    text: 'Approval gates a tool that says destructiveHint true or that a rule names, never one by the words of its description.',
  },
  {
    id: 'ORCH-gate-tighten',
    source: 'contract Orchestrator behaviour; contract fleet.yaml approve',
    text: 'approve none, destructive, writes or all can tighten the gate of a server and never loosen a rule.',
  },
  {
    id: 'ORCH-linked-resource',
    source: 'contract Orchestrator behaviour',
    text: 'A resource that a result links to is read from the server whose result named it, though nothing lists it.',
  },
  {
    id: 'ORCH-gate-writes',
    source: 'contract Orchestrator behaviour; contract fleet.yaml approve',
    text: 'approve writes gates every tool that says neither that it is read-only nor that it is not destructive.',
  },
  {
    id: 'ORCH-gate-held',
    source: 'contract Orchestrator behaviour',
    text: 'A tool that becomes looser than it was seen stays gated, in every process of the FLEET_HOME, until fleet tools accept.',
  },
  {
    id: 'ORCH-gate-pending',
    source: 'contract Orchestrator behaviour',
    text: 'A gated call creates a pending approval that a person can answer.',
  },
  {
    id: 'ORCH-left-out',
    source: 'contract Orchestrator behaviour',
    text: 'A tool definition that clients would refuse is left out with a reason and takes no other away.',
  },
  {
    id: 'ORCH-never-empty',
    source: 'contract Orchestrator behaviour',
    text: 'While servers warm up the last known tools are listed, never an empty list.',
  },
  {
    id: 'ORCH-bad-server',
    source: 'contract Orchestrator behaviour',
    text: 'One bad server neither holds up nor takes down another.',
  },
  {
    id: 'ORCH-idle-stop',
    source: 'contract Orchestrator behaviour',
    text: 'An idle stop never cuts a running call, and the next call wakes the server.',
  },
];
