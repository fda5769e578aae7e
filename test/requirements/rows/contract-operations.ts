import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'OP-one-table',
    source: 'contract Every operation is defined once',
    text: 'Every operation of the table is offered as MCP tool, CLI command and HTTP route with the same input and the same answer.',
  },
  {
    id: 'OP-null-left-out',
    source: 'contract Operations, inputs',
    text: 'null for an optional input means that it was left out, and null for all of the arguments that there are none.',
  },
  {
    id: 'OP-agent-names',
    source: 'contract Operations table',
    text: 'agent_names of wait_for_agents is a list of names, or a text with names separated by commas.',
  },
  {
    id: 'OP-unknown-input',
    source: 'contract Inputs',
    text: 'An unknown input is INVALID_INPUT that names it, at every interface.',
  },
  {
    id: 'OP-snake-case',
    source: 'contract Wire names',
    text: 'Every wire name of every input and output is snake_case.',
  },
  {
    id: 'OP-routes',
    source: 'contract Operations route',
    text: 'Each operation answers at its method and route under /api/v1.',
  },
  {
    id: 'OP-scope-read',
    source: 'contract Scopes',
    text: 'The read scope allows list_agents, show_agent, list_agent_projects, list_agent_roles, show_agent_task_history, show_agent_log and wait_for_agents, and nothing that changes anything.',
  },
  {
    id: 'OP-scope-operate',
    source: 'contract Scopes',
    text: 'create_agent, delete_agent, restart_agent, stop_agent, start_agent_task, cancel_agent_task, set_agent_metadata and acknowledge_agent need the operate scope.',
  },
  {
    id: 'OP-scope-self',
    source: 'contract Scopes',
    text: 'The self scope allows show_agent, start_agent_task, show_agent_task_history, show_agent_log, show_agent_diff, list_checkpoints, show_agent_checks, set_agent_metadata and report_task for the agent itself, and for another agent each is FORBIDDEN.',
  },
  {
    id: 'OP-self-diff',
    source: 'contract Review and merge, scopes r, s',
    text: 'From inside its task an agent can show its own diff and its own checkpoints, and those of no other agent.',
  },
  {
    id: 'OP-scope-approve',
    source: 'contract Scopes',
    text: 'respond_approval needs the approve scope, which fleet mcp does not have unless told.',
  },
  {
    id: 'OP-scope-terminal',
    source: 'contract Scopes',
    text: 'The user of the terminal has all scopes.',
  },
  {
    id: 'OP-list_agents-paging',
    source: 'contract list_agents',
    text: 'list_agents with page and page_size gives that page and the total_count of all that match, and without paging all agents.',
  },
  {
    id: 'OP-list_agents-pull-request-filter',
    source: 'contract list_agents',
    text: 'pull_request_filter takes a number or a status and returns only agents whose pull request matches.',
  },
  {
    id: 'OP-list_agents-several-backends',
    source: 'contract list_agents',
    text: 'With several backends those that answer are listed and unavailable names the others with a message.',
  },
  {
    id: 'OP-roles-default',
    source: 'contract list_agent_roles',
    text: 'Exactly the role that create_agent takes when none is given has default true.',
  },
  {
    id: 'OP-create_agent-project-default-role',
    source: 'contract create_agent role',
    text: 'An agent created without a role gets the default role of its project where it has one or has no coder.',
  },
  {
    id: 'OP-create_agent-base',
    source: 'contract create_agent base',
    text: 'create_agent with base starts the branch of the agent there.',
  },
  {
    id: 'OP-create_agent-branch',
    source: 'contract create_agent branch',
    text: 'create_agent with branch starts the branch of the agent at that existing branch, also one that only a remote has, which stays as it is.',
  },
  {
    id: 'OP-create_agent-same-name',
    source: 'contract Concurrency',
    text: 'Of any number of create_agent calls at once with one name exactly one wins and every other gets CONFLICT.',
  },
  {
    id: 'OP-delete_agent-kept',
    source: 'contract delete_agent',
    text: 'Work that is not pushed is kept on fleet-kept/<name>/<workspace id> and kept names that branch, and is null when there was none.',
  },
  {
    id: 'OP-delete_agent-cannot-keep',
    source: 'contract delete_agent',
    text: 'Where work cannot be kept, delete_agent fails and the agent and its work stay.',
  },
  {
    id: 'OP-delete_agent-archive',
    source: 'contract delete_agent',
    text: 'The workspace of a deleted agent is in the archive as it was.',
  },
  {
    id: 'OP-delete_agent-discard',
    source: 'contract delete_agent',
    text: 'delete_agent with discard_work deletes the agent without keeping its work.',
  },
  {
    id: 'OP-delete_agent-worktree-gone',
    source: 'contract delete_agent',
    text: 'Deleting an agent whose workspace is gone keeps what was taken over of it, and succeeds.',
  },
  {
    id: 'OP-show_agent_diff',
    source: 'contract Review and merge, show_agent_diff',
    text: 'show_agent_diff has every file that differs from the merge base with the base of the project, committed or not, each marked, with counts and modes.',
  },
  {
    id: 'OP-show_agent_diff-pages',
    source: 'contract Review and merge, show_agent_diff',
    text: 'The patches of all pages of show_agent_diff together are a patch that git apply takes, whatever max_bytes is.',
  },
  {
    id: 'OP-show_agent_diff-task',
    source: 'contract Review and merge, show_agent_diff',
    text: 'show_agent_diff with task_id has what that task changed, and with since what changed since that checkpoint.',
  },
  {
    id: 'OP-list_kept',
    source: 'contract list_kept',
    text: 'list_kept answers kept and total_count, each with workspace_id, agent_name, project, deleted_at, branch and bytes.',
  },
  {
    id: 'OP-restore_agent',
    source: 'contract restore_agent',
    text: 'restore_agent brings a deleted agent back, stopped, with its workspace and its history, and answers agent and message.',
  },
  {
    id: 'OP-delete_agent-coder-kept',
    source: 'contract delete_agent',
    text: 'On Coder the runner pushes the kept branch to origin, and a workspace without a repository or never ready has nothing to keep.',
  },
  {
    id: 'OP-delete_agent-goes-on',
    source: 'contract delete_agent',
    text: 'delete_agent that takes over 60 s sends progress and answers that deleting goes on.',
  },
  {
    id: 'OP-when_busy-queue',
    source: 'contract start_agent_task',
    text: 'when_busy queue accepts the task with state queued and runs it after the ones before it.',
  },
  {
    id: 'OP-when_busy-interrupt',
    source: 'contract start_agent_task; contract Task states',
    text: 'when_busy interrupt ends the running task as canceled and runs the new one.',
  },
  {
    id: 'OP-self-queue-only',
    source: 'contract start_agent_task',
    text: 'For itself an agent can only queue a task, and it runs after the current one.',
  },
  {
    id: 'OP-cancel-queued',
    source: 'contract cancel_agent_task',
    text: 'cancel_agent_task with the task_id of a queued task cancels that one, and the running task goes on.',
  },
  {
    id: 'OP-log-levels-agent',
    source: 'contract show_agent_log',
    text: 'The thoughts of a coding agent are DEBUG, what it said and did INFO, retries and refusals WARN.',
  },
  {
    id: 'OP-log-search',
    source: 'contract show_agent_log',
    text: 'show_agent_log with search answers only entries that contain the text in any case, in pages; an empty text and a NUL are INVALID_INPUT.',
  },
  {
    id: 'OP-log-error-level',
    source: 'contract show_agent_log',
    text: 'What failed is in the log with level ERROR.',
  },
  {
    id: 'OP-wait-idle',
    source: 'contract wait_for_agents',
    text: 'wait_for_agents until idle returns once every named agent has nothing running or queued, or is offline.',
  },
  {
    id: 'OP-wait-attention',
    source: 'contract wait_for_agents',
    text: 'wait_for_agents until attention returns when an agent needs attention.',
  },
  {
    id: 'OP-wait-any-change',
    source: 'contract wait_for_agents',
    text: 'wait_for_agents until any_change returns at the next change after its cursor, also one made between two calls.',
  },
  {
    id: 'OP-wait-names',
    source: 'contract wait_for_agents',
    text: 'agent_names is separated by commas, all agents when left out, and an unknown name is NOT_FOUND.',
  },
  {
    id: 'OP-wait-timeout',
    source: 'contract wait_for_agents',
    text: 'wait_for_agents that times out answers the agents as they are, timed_out true and a cursor.',
  },
  {
    id: 'OP-wait-timeout-limits',
    source: 'contract wait_for_agents',
    text: 'timeout_seconds is 60 unless given, and over 3600 is INVALID_INPUT.',
  },
  {
    id: 'OP-wait-stuck',
    source: 'contract Agent stuck; contract wait_for_agents',
    text: 'Somebody who waits for attention is told when an agent becomes stuck by time alone.',
  },
  {
    id: 'OP-set_agent_metadata',
    source: 'contract set_agent_metadata',
    text: 'set_agent_metadata answers agent_name, key and value, and the value null removes the key.',
  },
  {
    id: 'OP-set_agent_metadata-key',
    source: 'contract set_agent_metadata; contract Agent fleet_metadata',
    text: 'Setting a key without the prefix fleet_mcp_, or one of the five that the fleet keeps itself, is INVALID_INPUT.',
  },
  {
    id: 'OP-set_agent_metadata-limits',
    source: 'contract Taskfile metadata limits',
    text: 'A metadata key over 256 characters or a value over 4 KiB is INVALID_INPUT.',
  },
  {
    id: 'OP-acknowledge_agent',
    source: 'contract acknowledge_agent; contract Agent needs_attention',
    text: 'acknowledge_agent clears needs_attention and answers agent_name and message.',
  },
  {
    id: 'OP-report_task',
    source: 'contract report_task',
    text: 'report_task answers agent_name and recorded_at.',
  },
  {
    id: 'OP-report_task-state',
    source: 'contract report_task',
    text: 'state of a report is working, idle, complete or failure, and its history row is finished at once, failed for failure and complete otherwise.',
  },
  {
    id: 'OP-list-tool-agents',
    source: 'contract list_tool_agents; seed 004 Agent, AgentManifest, AgentHealth',
    text: 'list_tool_agents answers tool_agents, modules included, each with id, name, kind, state, manifest, health, latency_ms, calls, errors and left_out_tools.',
  },
  {
    id: 'OP-approvals-list',
    source: 'contract list_approvals',
    text: 'list_approvals answers approvals, each with id, kind, agent_name, tool, input, options, asked_at, expires_at and asked_by, and total_count.',
  },
  {
    id: 'OP-approvals-respond',
    source: 'contract respond_approval',
    text: 'respond_approval answers id, decision and answered_by, and the agent goes on accordingly.',
  },
  {
    id: 'OP-approvals-not-self',
    source: 'contract respond_approval',
    text: 'Who asked can never answer: respond_approval by the principal that asked is FORBIDDEN, and fleet mcp is a principal apart from the user of the terminal.',
  },
  {
    id: 'OP-approvals-first-wins',
    source: 'contract respond_approval',
    text: 'The first answer to an approval wins and the next gets CONFLICT.',
  },
  {
    id: 'OP-idempotent-same',
    source: 'contract idempotency',
    text: 'A call repeated with the same idempotency_key and input gives the first answer and does nothing.',
  },
  {
    id: 'OP-idempotent-other',
    source: 'contract idempotency',
    text: 'A call with a used idempotency_key and another input is CONFLICT.',
  },
  {
    id: 'OP-task-states',
    source: 'contract Task states',
    text: 'state of a task is queued, running, complete, failed, canceled or interrupted.',
  },
  {
    id: 'OP-interrupted-crash',
    source: 'contract Task states',
    text: 'A task whose runner died is interrupted in the history.',
  },
  {
    id: 'OP-interrupted-stop',
    source: 'contract Task states',
    text: 'A task that runs when its agent is stopped or restarted is interrupted in the history.',
  },
  {
    id: 'OP-on-crash-resume',
    source: 'contract Task states; contract fleet.yaml on_crash',
    text: 'With on_crash resume the task of a crashed coding agent goes on.',
  },
  {
    id: 'OP-source-token',
    source: 'contract Sources',
    text: 'A task by a bearer token over REST has the source the token was made with, human unless said.',
  },
  {
    id: 'OP-source-dashboard',
    source: 'contract Sources',
    text: 'A task given on the dashboard has source human.',
  },
  {
    id: 'OP-cancel-queue-goes-on',
    source: 'contract Task states',
    text: 'After a cancel the next queued task begins.',
  },
  {
    id: 'OP-stop-keeps-queue',
    source: 'contract Task states',
    text: 'Stopping or restarting an agent keeps its queued tasks, and they run once it is ready again.',
  },
  {
    id: 'OP-delete-cancels-queue',
    source: 'contract Task states',
    text: 'Deleting an agent cancels its queued tasks.',
  },
  {
    id: 'OP-at-most-once',
    source: 'contract The promise; contract command agent',
    text: 'A task is executed at most once, whichever of server, command and runner is killed, and a command is never run a second time by itself.',
  },
  {
    id: 'OP-end-once',
    source: 'contract The promise',
    text: 'The end of a task is recorded exactly once, whichever of server, command and runner is killed.',
  },
  {
    id: 'OP-spec-text',
    source: 'contract spec',
    text: 'A spec that is plain text is taken as it is, whatever characters it has.',
  },
  {
    id: 'OP-spec-checks',
    source: 'contract spec',
    text: 'The checks of a spec are run when the agent says it is done.',
  },
  {
    id: 'OP-land_agent',
    source: 'contract Review and merge',
    text: 'land_agent merges the work of an agent into a branch and moves the checkout of that branch with it.',
  },
  {
    id: 'OP-land_agent-refuses',
    source: 'contract Review and merge',
    text: 'A landing that is refused changes neither the branch nor its checkout, and details.reason says why.',
  },
  {
    id: 'OP-land_agents',
    source: 'contract Review and merge',
    text: 'land_agents lands agents in the given order and leaves out those that fail, each with its reason.',
  },
  {
    id: 'OP-land_agent-goes-on',
    source: 'contract Review and merge',
    text: 'A landing that goes on when its caller leaves answers its state to a repeated call with the same idempotency key, and to one for the same agent and options while it runs, and none of them starts another one.',
  },
  {
    id: 'OP-land_agent-follow-up',
    source: 'contract Review and merge',
    text: 'assign_to_agent and delete_after take effect once, also when the caller has left, and when the process that landed has died.',
  },
  {
    id: 'OP-undo_land',
    source: 'contract Review and merge',
    text: 'undo_land returns the branch and its checkout to where they were while nothing came after the landing.',
  },
  {
    id: 'OP-undo_land-revert',
    source: 'contract Review and merge',
    text: 'undo_land reverts a landing by a commit when newer commits came after it.',
  },
  {
    id: 'OP-publish_agent',
    source: 'contract Review and merge',
    text: 'publish_agent pushes the branch of an agent to the remote of its project and opens a pull request from the results of its tasks; repeated, it updates the same one.',
  },
  {
    id: 'OP-publish_agent-lease',
    source: 'contract Review and merge',
    text: 'publish_agent replaces at the remote what Fleet has pushed, and never the commits of others: not_fast_forward.',
  },
  {
    id: 'OP-publish_agent-workflows',
    source: 'contract Review and merge',
    text: 'publish_agent refuses work that changes workflows of continuous integration (workflows_changed, with the paths) unless allow_workflows is set.',
  },
  {
    id: 'OP-publish_agent-refuses',
    source: 'contract Review and merge',
    text: 'A publication that is refused pushes nothing, and details.reason says why.',
  },
  {
    id: 'OP-publish_agent-local',
    source: 'contract Review and merge',
    text: 'publish_agent is INVALID_INPUT for a repository without a remote (no_remote), for a workspace without a repository (no_repository), and where Fleet does not reach the repository (not_local).',
  },
  {
    id: 'OP-land_agent-coder',
    source: 'contract Review and merge, on Coder',
    text: 'Landing an agent on Coder is INVALID_INPUT with the command that publishes it, and list_conflicts, start_forecast and show_forecast name it in left_out.',
  },
  {
    id: 'CODER-work-older',
    source: 'contract Review and merge, on Coder',
    text: 'A runner of an older version in a workspace makes each operation on its work SERVICE_UNAVAILABLE (runner_api), with what to do, and tasks go on.',
  },
  {
    id: 'CODER-work-offline',
    source: 'contract Review and merge, on Coder',
    text: 'For a stopped agent on Coder each operation on its work is INVALID_INPUT (agent_offline), and after a restart its checkpoints are there.',
  },
  {
    id: 'CODER-work-no-repository',
    source: 'contract Review and merge, on Coder',
    text: 'For a workspace without a git repository each operation on its work is INVALID_INPUT (no_repository), and its tasks run as before.',
  },
  {
    id: 'CODER-work-login',
    source: 'contract Review and merge: Fleet never gives an agent the token of the forge',
    text: 'An agent on Coder is published with the login of its workspace, and the token of the forge never reaches the workspace.',
  },
  {
    id: 'OP-publish_agent-token',
    source: 'contract Review and merge',
    text: 'The token of the forge is in no output of publish_agent and in no argument of git.',
  },
  {
    id: 'OP-ci_feedback',
    source: 'contract fleet.yaml',
    text: "With ci_feedback of a project, failing checks and review comments of writers on an agent's pull request become its tasks, once each; after three sets of failures in a row a person is asked, and a restart repeats nothing.",
  },
  {
    id: 'OP-list_conflicts',
    source: 'contract Review and merge',
    text: 'list_conflicts names the agents whose branches conflict with each other or with their base, and the files.',
  },
  {
    id: 'EVENT-checkpoint',
    source: 'contract Review and merge, event kinds',
    text: 'Each checkpoint of an agent is an event of the kind checkpoint, with its number and its commit.',
  },
  {
    id: 'EVENT-conflict',
    source: 'contract Review and merge, event kinds',
    text: 'While fleet serve runs, a conflict of the branch of an agent with its base or with the branch of another agent is an event of the kind conflict when it appears and when it is gone, once each, with the other one and the paths.',
  },
  {
    id: 'OP-start_forecast',
    source: 'contract Review and merge',
    text: 'start_forecast says which agents of a project merge, which conflict, and whose work breaks a check, and moves no ref.',
  },
  {
    id: 'CFG-forecast',
    source: 'contract fleet.yaml',
    text: 'With forecast of a project, fleet serve makes its forecast again when branches have moved, at most once a minute, and without the work of agents that may not run commands.',
  },
  {
    id: 'OP-update_agent',
    source: 'contract Review and merge',
    text: 'update_agent brings newer commits of the base into the branch of an agent; a conflict changes nothing and names the files.',
  },
  {
    id: 'OP-list_checkpoints',
    source: 'contract Review and merge',
    text: 'list_checkpoints lists the checkpoints of an agent, newest first, with what each task changed.',
  },
  {
    id: 'OP-fork_agent',
    source: 'contract Review and merge',
    text: 'fork_agent creates an agent from a checkpoint of another one, which stays as it is.',
  },
  {
    id: 'OP-review',
    source: 'contract Review and merge',
    text: 'Review comments are a draft until send_review gives them to the agent as one task, and the draft is empty afterwards.',
  },
  {
    id: 'OP-race_agents',
    source: 'contract Review and merge',
    text: 'race_agents creates as many new agents for one task as count says, with the given roles.',
  },
  {
    id: 'OP-compare_agents',
    source: 'contract Review and merge',
    text: 'compare_agents ranks agents by their work: the smaller change first, and no change last.',
  },
];
