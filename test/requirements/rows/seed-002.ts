import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'US1-1',
    source: 'seed 002 User story 1 scenario 1',
    text: 'An operator who creates an agent with a spec, project Setup and role coder gets an agent in a workspace of its own with that spec, project and role.',
  },
  {
    id: 'US1-2',
    source: 'seed 002 User story 1 scenario 2',
    text: 'With several agents in the fleet, the list returns every one of them with name, status and current task.',
  },
  {
    id: 'US1-3',
    source: 'seed 002 User story 1 scenario 3',
    text: 'The details of an agent at work show its name, status busy, current task, spec and all fleet_mcp metadata.',
  },
  {
    id: 'US1-4',
    source: 'seed 002 User story 1 scenario 4',
    text: 'After several completed tasks the history returns them page by page with timestamps and summaries.',
  },
  {
    id: 'US2-1',
    source: 'seed 002 User story 2 scenario 1',
    text: 'Starting a task on an idle agent makes it busy and its program begins that task.',
  },
  {
    id: 'US2-2',
    source: 'seed 002 User story 2 scenario 2',
    text: 'When a busy agent completes its task it becomes idle by itself and the task is complete in the history.',
  },
  {
    id: 'US2-3',
    source: 'seed 002 User story 2 scenario 3',
    text: 'Cancelling the task of a busy agent interrupts its program and the agent becomes idle.',
  },
  {
    id: 'US2-4',
    source: 'seed 002 User story 2 scenario 4',
    text: 'A task is accepted and run whether it comes from the agent itself, from a human or from a controlling AI.',
  },
  {
    id: 'US3-1',
    source: 'seed 002 User story 3 scenario 1; contract create_agent pull_request_url',
    text: 'An agent created with a pull_request_url shows it as pull_request.url and as fleet_mcp_pull_request_url in its details.',
  },
  {
    id: 'US3-2',
    source: 'seed 002 User story 3 scenario 2',
    text: 'When the status of the pull request changes at the forge, the details of the agent show the new status.',
  },
  {
    id: 'US3-3',
    source: 'seed 002 User story 3 scenario 3',
    text: 'When the checks of the pull request complete, the details of the agent show check_status passing or failing.',
  },
  {
    id: 'US3-4',
    source: 'seed 002 User story 3 scenario 4',
    text: 'Another principal with read scope can read the whole spec of an agent to verify its work.',
  },
  {
    id: 'US4-1',
    source: 'seed 002 User story 4 scenario 1',
    text: 'Deleting an idle agent removes its workspace and takes it out of the fleet.',
  },
  {
    id: 'US4-2',
    source: 'seed 002 User story 4 scenario 2; contract delete_agent',
    text: 'Deleting a busy agent ends its work, leaves no process of it and removes its workspace at once.',
  },
  {
    id: 'US4-3',
    source: 'seed 002 User story 4 scenario 3',
    text: 'A deleted agent is in no list and its name is free again.',
  },
  {
    id: 'US5-1',
    source: 'seed 002 User story 5 scenario 1; contract Words role',
    text: 'The roles of a project on this machine with no roles configured, and of each template that Fleet pushes to Coder, include coder, operator and manager, each with a description.',
  },
  {
    id: 'US5-2',
    source: 'seed 002 User story 5 scenario 2',
    text: 'The list of projects names every configured project, such as Setup and DataOne.',
  },
  {
    id: 'US5-3',
    source: 'seed 002 User story 5 scenario 3',
    text: 'A project name and a role name taken from the discovery calls are accepted by create_agent as they are.',
  },
  {
    id: 'EDGE-01',
    source: 'seed 002 Edge case provisioning fails; contract Status failed',
    text: 'An agent whose set-up or program fails to start after acceptance stays listed as failed, and its status_reason says why.',
  },
  {
    id: 'EDGE-02',
    source: 'seed 002 Edge case agent goes offline; contract Status',
    text: 'When the processes of an agent die unexpectedly, the next look shows the true status with its reason and no stale busy.',
  },
  {
    id: 'EDGE-03',
    source: 'seed 002 Edge case simultaneous tasks; contract Concurrency',
    text: 'Of any number of start_agent_task calls at once on one idle agent exactly one wins and every other gets CONFLICT.',
  },
  {
    id: 'EDGE-04',
    source: 'seed 002 Edge case stuck; contract Agent stuck',
    text: 'An agent that is busy without progress for longer than the stuck_after of its project has stuck true and needs attention.',
  },
  {
    id: 'EDGE-05',
    source: 'seed 002 Edge case invalid pull request',
    text: 'A pull request address that is not valid never makes show_agent or list_agents fail.',
  },
  {
    id: 'EDGE-05-inaccessible',
    source: 'seed 002 Edge case inaccessible pull request; contract Agent pull_request',
    text: 'A pull request that cannot be read keeps its url and has an error that says why, with status and check_status null.',
  },
  {
    id: 'EDGE-06',
    source: 'seed 002 Edge case names; seed 001 create_agent 400; contract Agent name',
    text: 'A name that is not unique or not of the right form is refused before anything is made, with a message that quotes it.',
  },
  {
    id: 'EDGE-07',
    source: 'seed 002 Edge case delete in the middle of work; contract delete_agent',
    text: 'Deleting an agent in the middle of its work keeps its commits and its uncommitted changes on a kept branch.',
  },
  {
    id: 'EDGE-08',
    source: 'seed 002 Edge case page past the end; seed 001 Pagination behavior; contract',
    text: 'A page of the history or the log past its end is empty, has the right total_count and is not an error.',
  },
  {
    id: 'EDGE-09',
    source: 'seed 002 Edge case malformed or empty spec; seed 000 Agent validation; contract spec',
    text: 'A spec that is empty, or a document with a known spec key that is malformed, is INVALID_INPUT and no agent is made.',
  },
  {
    id: 'EDGE-10',
    source: 'seed 002 Edge case unknown role or project; contract Errors NOT_FOUND',
    text: 'NOT_FOUND for a project or a role lists in its details those that there are.',
  },
  {
    id: 'FR-001',
    source: 'seed 002 FR-001; contract fleet.yaml repository',
    text: 'An agent that is created with a spec, a project and a role gets a workspace of its own, on this machine a git repository of its own with the branch fleet/<name> and on Coder a workspace of its name, and its program runs there.',
  },
  {
    id: 'FR-002',
    source: 'seed 002 FR-002; seed 000 create_agent; contract create_agent role',
    text: 'An agent created without a role gets coder in a project that has it and no default of its own.',
  },
  {
    id: 'FR-003',
    source: 'seed 002 FR-003; contract Agent name',
    text: 'An agent created without a name gets a short memorable valid name that no other agent has.',
  },
  {
    id: 'FR-004',
    source: 'seed 002 FR-004; seed 000 AgentSummary; contract list_agents',
    text: 'The list shows name, status and current_task of every agent.',
  },
  {
    id: 'FR-005',
    source: 'seed 002 FR-005; seed 000 AgentDetailsResponse',
    text: 'The details show name, status, current_task, spec and fleet_metadata.',
  },
  {
    id: 'FR-006',
    source: 'seed 002 FR-006',
    text: 'Deleting an agent removes its workspace, its branch and its runner.',
  },
  {
    id: 'FR-007',
    source: 'seed 002 FR-007; seed 000 AgentStatus; contract Status',
    text: 'status is always one of pending, starting, busy, idle, stopping, stopped, failed, canceling, canceled, deleting and deleted, and each can be reached.',
  },
  {
    id: 'FR-008',
    source: 'seed 002 FR-008; seed 000 derived status',
    text: 'An agent is busy by itself while a task is in flight.',
  },
  {
    id: 'FR-009',
    source: 'seed 002 FR-009; seed 000 derived status',
    text: 'An agent is idle by itself once its task has ended and none is queued, however the task ended.',
  },
  {
    id: 'FR-010',
    source: 'seed 002 FR-010; contract Status',
    text: 'An agent whose runner cannot be reached for 60 s is failed with the reason, and is not starting or busy for ever.',
  },
  {
    id: 'FR-011',
    source: 'seed 002 FR-011; seed 001 start_agent_task',
    text: 'start_agent_task hands the whole task text to the agent, which executes it.',
  },
  {
    id: 'FR-012',
    source: 'seed 002 FR-012; contract Sources',
    text: 'source of a task is ai when it came by MCP, human from the terminal and agent from the agent itself.',
  },
  {
    id: 'FR-013',
    source: 'seed 002 FR-013',
    text: 'cancel_agent_task ends the running task and its state is canceled.',
  },
  {
    id: 'FR-014',
    source: 'seed 002 FR-014',
    text: 'Every task that an agent accepted is in its history, also after the agent was stopped, restarted or crashed.',
  },
  {
    id: 'FR-015',
    source: 'seed 002 FR-015',
    text: 'Going through all pages of the history gives every task exactly once.',
  },
  {
    id: 'FR-016',
    source: 'seed 002 FR-016; contract report_task',
    text: 'A message that an agent reports, by report_task or to the agent API of Coder, becomes a history row of kind report with that message and uri.',
  },
  {
    id: 'FR-017',
    source: 'seed 002 FR-017',
    text: 'Every history row has a created_at, and one that has ended has a finished_at that is not before it.',
  },
  {
    id: 'FR-018',
    source: 'seed 002 FR-018; contract spec',
    text: 'A spec can be YAML or JSON with objective, context, constraints, deliverables and checks.',
  },
  {
    id: 'FR-019',
    source: 'seed 002 FR-019',
    text: 'The spec of an agent is its fleet_mcp_agent_spec metadata, word for word.',
  },
  {
    id: 'FR-020',
    source: 'seed 002 FR-020; contract Agent spec',
    text: 'show_agent gives the spec that create_agent got, whole and unchanged.',
  },
  {
    id: 'FR-021',
    source: 'seed 002 FR-021; contract Agent fleet_metadata',
    text: 'Any metadata key with the prefix fleet_mcp_ that was set on an agent is shown in its fleet_metadata.',
  },
  {
    id: 'FR-022',
    source: 'seed 002 FR-022',
    text: 'fleet_mcp_pull_request_url can be set on an agent and is shown in its details.',
  },
  {
    id: 'FR-023',
    source: 'seed 002 FR-023',
    text: 'fleet_mcp_pull_request_status can be set on an agent and is shown in its details.',
  },
  {
    id: 'FR-024',
    source: 'seed 002 FR-024',
    text: 'fleet_mcp_pull_request_check_status can be set on an agent and is shown in its details.',
  },
  {
    id: 'FR-025',
    source: 'seed 002 FR-025; contract command agent',
    text: 'The spec in fleet_mcp_agent_spec reaches the agent itself, as FLEET_SPEC of a command agent.',
  },
  {
    id: 'FR-026',
    source: 'seed 002 FR-026',
    text: 'Agents can be created with the roles coder, operator and manager, on this machine and with each template that Fleet pushes to Coder, and show the role they were given.',
  },
  {
    id: 'FR-027',
    source: 'seed 002 FR-027; contract fleet.yaml system_prompt, Words role',
    text: 'The system prompt of an agent is the one of its role: from system_prompt or system_prompt_file, else the built-in role; on Coder from the preset.',
  },
  {
    id: 'FR-028',
    source: 'seed 002 FR-028',
    text: 'list_agent_roles gives every role of a project with its description, those of the configuration included.',
  },
  {
    id: 'FR-029',
    source: 'seed 002 FR-029',
    text: 'Several projects with different repositories can be configured and used side by side.',
  },
  {
    id: 'FR-030',
    source: 'seed 002 FR-030',
    text: 'list_agent_projects gives every project with its description, on Coder every template that can be driven.',
  },
  {
    id: 'FR-031',
    source: 'seed 002 FR-031; contract Words project',
    text: 'The workspace of an agent comes from the repository, on Coder from the template, of the project it was created for.',
  },
  {
    id: 'SC-001',
    source: 'seed 002 SC-001; contract Promises create to ready',
    text: 'create_agent leads to ready before the first task starts, and the bench measures how long it takes.',
  },
  {
    id: 'SC-002',
    source: 'seed 002 SC-002; contract Promises status visible',
    text: 'A change of status is in the next look and ends a wait of another process, and the bench measures how soon.',
  },
  {
    id: 'SC-003',
    source: 'seed 002 SC-003',
    text: 'The complete history of an agent with more than 100 tasks can be read page by page.',
  },
  {
    id: 'SC-004',
    source: 'seed 002 SC-004',
    text: 'Agents of the projects Setup and DataOne work at the same time, each in a workspace of its own repository.',
  },
  {
    id: 'SC-005',
    source: 'seed 002 SC-005; contract Promises metadata visible',
    text: 'A fleet_mcp metadata value that was set is in the very next show_agent from any process.',
  },
  {
    id: 'SC-006',
    source: 'seed 002 SC-006; contract Promises delete',
    text: 'Deleting an agent leaves no workspace, branch, socket or process of it, and the bench holds it under 5 s on this machine.',
  },
  {
    id: 'SC-007',
    source: 'seed 002 SC-007',
    text: 'Ten agents at work at the same time are all listed with the right status and each completes its task.',
  },
  {
    id: 'SC-008',
    source: 'seed 002 SC-008; contract Promises history',
    text: 'Any page of a history of 3,000 tasks holds its own tasks, newest first, and the bench measures a page over 100,000.',
  },
  {
    id: 'SC-009',
    source: 'seed 002 SC-009; contract Promises discovery',
    text: 'list_agent_projects and list_agent_roles give what the configuration has at that moment, and the bench measures them.',
  },
  {
    id: 'SC-010',
    source: 'seed 002 SC-010; contract Promises commands that succeed',
    text: 'Every valid create, task start, task cancel and delete on a healthy backend succeeds at the first attempt.',
  },
];
