import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'ERR-envelope',
    source: 'seed 001 Common error response; contract Errors',
    text: 'A failed operation is an MCP result with isError true and the text of an object error with code, message and details.',
  },
  {
    id: 'ERR-too-deep',
    source: 'contract Errors',
    text: 'JSON that is nested too deep is INVALID_INPUT.',
  },
  {
    id: 'ERR-meta',
    source: 'contract Errors',
    text: 'A failed MCP result carries the same error under _meta fleet-mcp/error and has no structuredContent.',
  },
  {
    id: 'ERR-http',
    source: 'contract Errors',
    text: 'Over HTTP a failed operation has the same body with the status of its code.',
  },
  {
    id: 'ERR-cli',
    source: 'contract Errors',
    text: 'The CLI prints the message of an error to stderr, or with --json the body to stdout, and exits by the table.',
  },
  {
    id: 'ERR-field',
    source: 'contract Errors',
    text: 'details.field names the input at fault.',
  },
  {
    id: 'ERR-invalid-input',
    source: 'seed 001 Error code mapping; contract Errors',
    text: 'INVALID_INPUT is HTTP 400 and exit 2.',
  },
  {
    id: 'ERR-unauthorized',
    source: 'contract Errors',
    text: 'A request with no token or a bad one is UNAUTHORIZED with HTTP 401, exit 5.',
  },
  {
    id: 'ERR-forbidden',
    source: 'contract Errors',
    text: 'A token without the right for an operation is FORBIDDEN with HTTP 403, exit 5.',
  },
  {
    id: 'ERR-foreign',
    source: 'contract Errors',
    text: 'A request with a foreign Host or a foreign Origin, also null, is FORBIDDEN even with a good token.',
  },
  {
    id: 'ERR-approval-denied',
    source: 'contract Errors',
    text: 'A call whose approval was denied is FORBIDDEN.',
  },
  {
    id: 'ERR-approval-required',
    source: 'contract Errors',
    text: 'APPROVAL_REQUIRED is HTTP 403 and exit 6 and its details have the id of the approval.',
  },
  {
    id: 'ERR-not-found',
    source: 'seed 001 Error code mapping; contract Errors',
    text: 'NOT_FOUND is HTTP 404 and exit 3.',
  },
  {
    id: 'ERR-unknown-operation',
    source: 'contract Errors NOT_FOUND tool',
    text: 'fleet call of an operation that does not exist, and a tool call by such a name, is an error that quotes the name.',
  },
  {
    id: 'ERR-conflict',
    source: 'seed 001 Error code mapping; contract Errors',
    text: 'CONFLICT is HTTP 409 and exit 4.',
  },
  {
    id: 'ERR-too-large',
    source: 'contract Errors',
    text: 'A request body over the limit of the interface is TOO_LARGE with HTTP 413, exit 8.',
  },
  {
    id: 'ERR-rate-limited',
    source: 'contract Errors',
    text: 'A caller over the limit of the interface gets RATE_LIMITED with HTTP 429, exit 8.',
  },
  {
    id: 'ERR-internal',
    source: 'seed 001 Error code mapping; contract Errors',
    text: 'INTERNAL_ERROR is HTTP 500 and exit 1, and its message carries neither a secret nor a stack.',
  },
  {
    id: 'ERR-unavailable',
    source: 'seed 001 Error code mapping; contract Errors',
    text: 'SERVICE_UNAVAILABLE is HTTP 503 and exit 7.',
  },
  {
    id: 'ERR-malformed',
    source: 'contract Errors bad parameters',
    text: 'Malformed JSON, a value of the wrong type and a value over its limit are INVALID_INPUT, and nothing changes.',
  },
  {
    id: 'EV-format',
    source: 'contract events',
    text: 'An event of /events has id with the cursor, event with the kind, and data with cursor, at, kind, agent_name and workspace_id.',
  },
  {
    id: 'EV-resume',
    source: 'contract events',
    text: 'A client that reconnects to /events with its last cursor gets every event after it, from any server of the FLEET_HOME.',
  },
  {
    id: 'EV-agent',
    source: 'contract events',
    text: 'agent.created, agent.status and agent.deleted are sent when an agent is created, changes its status and is gone.',
  },
  {
    id: 'EV-task',
    source: 'contract events',
    text: 'task.accepted, task.started and task.ended are sent once each for a task that runs to its end.',
  },
  {
    id: 'EV-report-attention-metadata',
    source: 'contract events',
    text: 'report, attention and metadata are sent for a report, when an agent begins to need attention, and when a fleet_mcp value changes.',
  },
  {
    id: 'EV-bounded',
    source: 'contract events',
    text: 'Event streams that nobody reads are bounded and hold up no other request; the oldest of too many is closed with a reason.',
  },
  {
    id: 'EV-approval',
    source: 'contract events',
    text: 'approval.asked and approval.answered are sent for each approval.',
  },
  {
    id: 'API-openapi-constraints',
    source: 'contract Errors, OpenAPI',
    text: 'The OpenAPI document carries the non-empty, pattern and length constraints of inputs that are enforced.',
  },
  {
    id: 'API-openapi',
    source: 'contract Errors OpenAPI',
    text: '/api/openapi.json is a valid OpenAPI 3.1 document that has every operation at its route with its input and output.',
  },
];
