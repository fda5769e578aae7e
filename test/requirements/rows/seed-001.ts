import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'T-names',
    source: 'seed 001 Overview',
    text: 'tools/list offers list_agents, show_agent, list_agent_projects, list_agent_roles, create_agent, delete_agent, restart_agent, start_agent_task, cancel_agent_task, show_agent_task_history and show_agent_log by exactly these names.',
  },
  {
    id: 'T-scalar-inputs',
    source: 'seed 001 Naming conventions; contract Inputs',
    text: 'Every input of every tool is a flat scalar or a list of scalars, never an object.',
  },
  {
    id: 'T-agent-not-found',
    source: 'seed 001 error responses 404',
    text: 'show_agent, delete_agent, restart_agent, start_agent_task, cancel_agent_task, show_agent_task_history and show_agent_log of a name that does not exist are NOT_FOUND and quote it.',
  },
  {
    id: 'T-version',
    source: 'seed 001 Contract versioning; contract Version',
    text: 'fleet version --json and the MCP server info carry the contract version 1.1.0.',
  },
  {
    id: 'T-internal-error',
    source: 'seed 001 error responses 500; contract Errors',
    text: 'A defect while list_agents, show_agent, list_agent_projects, list_agent_roles, create_agent, show_agent_task_history or show_agent_log runs is INTERNAL_ERROR.',
  },
  {
    id: 'T-list_agents-output',
    source: 'seed 001 list_agents; seed 003 list_agents; contract list_agents',
    text: 'list_agents answers agents, each with name, status, project, role, last_task, created_at, updated_at, workspace_id, metadata_count and metadata, and total_count.',
  },
  {
    id: 'T-list_agents-status-filter',
    source: 'seed 001 list_agents; contract list_agents',
    text: 'list_agents with status_filter returns only agents of that status and counts only those.',
  },
  {
    id: 'T-list_agents-project-filter',
    source: 'seed 001 list_agents; contract Agent project',
    text: 'list_agents with project_filter returns only agents of that project, matched ignoring case.',
  },
  {
    id: 'T-list_agents-bad-filter',
    source: 'seed 003 list_agents error handling',
    text: 'A status_filter that is none of the 11 statuses is INVALID_INPUT.',
  },
  {
    id: 'T-list_agents-no-match',
    source: 'seed 003 list_agents error handling',
    text: 'list_agents with filters that nothing matches answers an empty list and total_count 0.',
  },
  {
    id: 'T-list_agents-unavailable',
    source: 'seed 001 list_agents 503; contract list_agents',
    text: 'list_agents is SERVICE_UNAVAILABLE when none of the backends that have projects or agents answers.',
  },
  {
    id: 'T-show_agent-output',
    source: 'seed 001 show_agent; seed 003 show_agent; contract show_agent',
    text: 'show_agent answers agent with at least name, workspace_id, status, role, project, last_task, created_at, updated_at, metadata_count and metadata.',
  },
  {
    id: 'T-list_agent_projects-output',
    source: 'seed 001 list_agent_projects; contract list_agent_projects',
    text: 'list_agent_projects takes no input and answers projects, each with id, name, display_name, description, template_id, template_name and backend, and total_count.',
  },
  {
    id: 'T-list_agent_projects-display-name',
    source: 'seed 001 list_agent_projects notes',
    text: 'On Coder only templates that have a display_name are projects, and it is the name of the project.',
  },
  {
    id: 'T-list_agent_projects-usable',
    source: 'seed 001 list_agent_projects notes; contract fleet.yaml backend',
    text: 'With backend coder alone every usable template is a project, and one without the parameters an agent needs for its prompts is not.',
  },
  {
    id: 'T-list_agent_roles-output',
    source: 'seed 001 list_agent_roles; contract list_agent_roles',
    text: 'list_agent_roles answers project, roles, each with id, name, display_name, description, project_id and default, and total_count.',
  },
  {
    id: 'T-list_agent_roles-not-found',
    source: 'seed 001 list_agent_roles 404',
    text: 'list_agent_roles of a project that does not exist is NOT_FOUND.',
  },
  {
    id: 'T-create_agent-input',
    source: 'seed 001 create_agent; contract create_agent',
    text: 'create_agent requires project and task and nothing else.',
  },
  {
    id: 'T-create_agent-output',
    source: 'seed 001 create_agent; seed 000 CreateAgentResponse; contract create_agent',
    text: 'create_agent answers agent in the show view and a message that names the agent.',
  },
  {
    id: 'T-create_agent-not-found',
    source: 'seed 001 create_agent 404; seed 000 Agent validation',
    text: 'create_agent with a project that does not exist, or a role that the project does not have, is NOT_FOUND and makes nothing.',
  },
  {
    id: 'T-create_agent-conflict',
    source: 'seed 001 create_agent 409; seed 000 Agent validation',
    text: 'create_agent with a name that is taken is CONFLICT and leaves the agent that has it untouched.',
  },
  {
    id: 'T-delete_agent-output',
    source: 'seed 001 delete_agent; seed 000 DeleteAgentResponse; contract delete_agent',
    text: 'delete_agent answers agent_name, workspace_id, message and kept, once the workspace is gone.',
  },
  {
    id: 'T-restart_agent-output',
    source: 'seed 001 restart_agent; contract restart_agent, stop_agent',
    text: 'restart_agent and stop_agent answer agent_name, workspace_id, status and message.',
  },
  {
    id: 'T-restart_agent-any-state',
    source: 'seed 001 restart_agent; contract restart_agent',
    text: 'restart_agent works on an agent that is busy, idle, stopped, failed or canceled and brings it back to idle or busy.',
  },
  {
    id: 'T-build-failed',
    source: 'seed 001 restart_agent 500; seed 001 delete_agent 503; contract Errors',
    text: 'A restart or delete build that fails on Coder is SERVICE_UNAVAILABLE with details.reason build_failed.',
  },
  {
    id: 'T-start_agent_task-output',
    source: 'seed 001 start_agent_task; seed 000 StartTaskResponse; contract start_agent_task',
    text: 'start_agent_task answers agent_name, task with id, message, created_at and state, agent_status and message.',
  },
  {
    id: 'T-start_agent_task-empty',
    source: 'seed 001 start_agent_task 400; seed 000 Task validation',
    text: 'start_agent_task with an empty or blank task_description is INVALID_INPUT and records nothing.',
  },
  {
    id: 'T-start_agent_task-offline',
    source: 'seed 001 start_agent_task 400; contract Status offline; contract Errors',
    text: 'start_agent_task on an agent that is stopping, stopped, failed, canceling, canceled or deleting is INVALID_INPUT and starts nothing.',
  },
  {
    id: 'T-start_agent_task-busy',
    source: 'seed 001 start_agent_task 409; contract start_agent_task',
    text: 'start_agent_task on a busy agent without when_busy is CONFLICT and the running task goes on.',
  },
  {
    id: 'T-cancel_agent_task-output',
    source: 'seed 001 cancel_agent_task; seed 000 CancelTaskResponse; contract cancel_agent_task',
    text: 'cancel_agent_task answers agent_name, message, interrupt_sent true, the canceled task and agent_status.',
  },
  {
    id: 'T-cancel_agent_task-not-busy',
    source: 'seed 001 cancel_agent_task 400; contract Concurrency',
    text: 'cancel_agent_task on an agent that runs nothing is INVALID_INPUT.',
  },
  {
    id: 'T-cancel_agent_task-unavailable',
    source: 'seed 001 cancel_agent_task 503; contract Errors',
    text: 'cancel_agent_task is SERVICE_UNAVAILABLE when the runner of the agent does not answer.',
  },
  {
    id: 'T-cancel_agent_task-agentapi',
    source: 'seed 001 cancel_agent_task notes',
    text: 'In a Coder workspace that runs AgentAPI a cancel is the raw message ESC, because Ctrl-C would end the agent.',
  },
  {
    id: 'T-history-output',
    source:
      'seed 001 show_agent_task_history; seed 000 TaskHistoryResponse; contract show_agent_task_history',
    text: 'show_agent_task_history answers agent_name, tasks, total_count, page, page_size, total_pages, has_next_page, has_previous_page and as_of.',
  },
  {
    id: 'T-history-row',
    source: 'seed 001 TaskDetail; contract show_agent_task_history',
    text: 'A history row has id, kind task or report, message, uri, needs_user_attention, created_at, started_at, state, source, finished_at and result.',
  },
  {
    id: 'T-history-result',
    source: 'contract show_agent_task_history',
    text: 'The result of a task is what its agent said or printed last, or why the task did not complete; show_agent and wait_for_agents have that of the last task.',
  },
  {
    id: 'T-history-newest-first',
    source: 'seed 001 show_agent_task_history',
    text: 'Task history is ordered newest first, over page boundaries too.',
  },
  {
    id: 'T-history-default-page',
    source: 'seed 001 show_agent_task_history; seed 002 Assumptions; seed 000',
    text: 'Task history without paging inputs is page 1 with a page_size of 20.',
  },
  {
    id: 'T-paging-bounds',
    source: 'seed 001 show_agent_task_history, show_agent_log; seed 000 Validation summary',
    text: 'A page below 1 or a page_size outside 1–100 of the history or the log is INVALID_INPUT.',
  },
  {
    id: 'T-history-flags',
    source: 'seed 001 Pagination behavior',
    text: 'total_pages, has_next_page and has_previous_page are right on the first, a middle and the last page of a history, and when it is empty.',
  },
  {
    id: 'T-log-output',
    source: 'seed 001 show_agent_log; contract show_agent_log',
    text: 'show_agent_log answers agent_name, logs, each with id, timestamp, message, level and type, and the same paging fields as the history.',
  },
  {
    id: 'T-log-default-page',
    source: 'seed 001 show_agent_log default behavior; contract show_agent_log',
    text: 'show_agent_log without paging inputs returns only the newest entry.',
  },
  {
    id: 'T-log-newest-first',
    source: 'seed 001 show_agent_log',
    text: 'Log entries are ordered newest first, over page boundaries too.',
  },
  {
    id: 'T-log-level-type',
    source: 'seed 001 LogEntryDetail; contract show_agent_log',
    text: 'level of a log entry is DEBUG, INFO, WARN or ERROR and its type input, output, tool or system.',
  },
];
