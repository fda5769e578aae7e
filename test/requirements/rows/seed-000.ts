import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'AGENT-name-format',
    source: 'seed 000 Agent; seed 001 agent_name inputs; seed 003 show_agent input; contract Agent name',
    text: 'An agent name is 1–32 letters and digits with single hyphens between them, and any other is INVALID_INPUT with details.field in every operation that takes one.',
  },
  {
    id: 'AGENT-workspace-id',
    source: 'seed 000 Agent; contract Agent workspace_id',
    text: 'Every agent has a workspace_id that is a UUID and stays the same for as long as the agent exists.',
  },
  {
    id: 'AGENT-status-derived',
    source: 'seed 000 Agent derived fields; contract Status',
    text: 'Status is a pure function over stored facts and never stored, so that the journal alone gives the status that show_agent says.',
  },
  {
    id: 'AGENT-current-task',
    source: 'seed 000 Agent; seed 000 Metadata mapping; contract Agent current_task',
    text: 'current_task is the text of the running task while the agent is busy and null otherwise, and fleet_mcp_current_task is there only with it.',
  },
  {
    id: 'AGENT-times',
    source: 'seed 000 Agent; contract Times',
    text: 'created_at and updated_at, like every time on the wire, are ISO 8601 in UTC.',
  },
  {
    id: 'AGENT-transition-create',
    source: 'seed 000 State transitions',
    text: 'A new agent goes by itself through pending and starting to busy with the task it was created with.',
  },
  {
    id: 'AGENT-transition-stop',
    source: 'seed 000 State transitions; contract Status table',
    text: 'Stopping an idle agent leads through stopping to stopped, where it stays listed and has no process.',
  },
  {
    id: 'AGENT-transition-delete',
    source: 'seed 000 State transitions; contract Status table',
    text: 'Deleting an agent leads through deleting to deleted, which is seen in answers and events only.',
  },
  {
    id: 'AGENT-transition-cancel',
    source: 'seed 000 State transitions; contract Status table',
    text: 'stop_agent while pending or starting ends the start and leads through canceling to canceled, where the agent stays listed.',
  },
  {
    id: 'AGENT-role-immutable',
    source: 'seed 000 Role relationships; contract frozen at creation',
    text: 'Project, role, paths and environment of an agent are frozen at creation, so that a later change of the configuration does not alter it.',
  },
  {
    id: 'TASK-attention-boolean',
    source: 'seed 000 Task validation',
    text: 'needs_user_attention of a history row is a boolean, true for a task that failed and false for one that completed.',
  },
  {
    id: 'TASK-uri',
    source: 'seed 000 Task validation; contract report_task',
    text: 'uri of a history row is null or a valid http or https address, and reporting any other uri is INVALID_INPUT.',
  },
  {
    id: 'TASK-report-message',
    source: 'seed 000 Task validation',
    text: 'A report with an empty message is INVALID_INPUT and leaves no history row.',
  },
  {
    id: 'TASK-one-agent',
    source: 'seed 000 Task relationships',
    text: 'The history of an agent never holds a task of another agent.',
  },
  {
    id: 'ROLE-display-name',
    source: 'seed 000 Role; contract list_agent_roles',
    text: 'display_name of a role is never empty and is the name of the role where the backend has none.',
  },
  {
    id: 'ROLE-preset',
    source: 'seed 000 How roles work',
    text: 'On Coder an agent is built with the workspace preset that its role names.',
  },
  {
    id: 'PROJECT-id-stable',
    source: 'seed 000 Project; seed 000 Role template_id; contract list_agent_roles',
    text: 'The id of a project is the same in every call and process and is the project_id of its roles.',
  },
  {
    id: 'PROJECT-role-shared',
    source: 'seed 000 Project relationships; seed 000 Role relationships',
    text: 'Several agents can have one project and one role at the same time, each in a workspace of its own.',
  },
  {
    id: 'PROJECT-template-id',
    source: 'seed 000 Project validation; contract list_agent_projects',
    text: 'On Coder template_id is the UUID and template_name the name of the template that the project maps to.',
  },
  {
    id: 'META-core-keys',
    source: 'seed 000 create_agent note; contract Agent fleet_metadata',
    text: 'fleet_metadata of a new agent holds fleet_mcp_agent_name, fleet_mcp_role, fleet_mcp_project, fleet_mcp_agent_spec and fleet_mcp_current_task with the values of the agent.',
  },
  {
    id: 'META-optional-unset',
    source: 'seed 000 create_agent note; contract Agent pull_request',
    text: 'Without a pull request address pull_request is null and the fleet_mcp_pull_request keys are absent.',
  },
  {
    id: 'META-only-prefixed',
    source: 'seed 000 Metadata mapping; contract Agent fleet_metadata',
    text: 'Every key of fleet_metadata begins with fleet_mcp_ and every value is a string.',
  },
  {
    id: 'STORE-any-process',
    source: 'seed 000 Storage strategy',
    text: 'What one process changes is seen by the next call of any other process on the same FLEET_HOME, with no daemon in between.',
  },
  {
    id: 'STORE-query-back',
    source: 'seed 000 Write pattern',
    text: 'A call that changes an agent answers with the state read back after the change, and show_agent right after it agrees.',
  },
];
