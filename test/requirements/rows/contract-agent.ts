import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'AGENT-name-unique',
    source: 'contract Agent name',
    text: 'Names are unique ignoring case, so that creating papi beside Papi is CONFLICT.',
  },
  {
    id: 'AGENT-name-reserved',
    source: 'contract Agent name',
    text: 'The names new and create are refused with INVALID_INPUT.',
  },
  {
    id: 'AGENT-role-project-spelling',
    source: 'contract Agent role, project',
    text: 'role and project are matched ignoring case and shown as the backend spells them.',
  },
  {
    id: 'ROLE-command-manager',
    source: 'contract roles; seed 002 US5',
    text: 'A command agent in the role manager creates agents, gives them tasks and waits for them by the fleet command of its shell.',
  },
  {
    id: 'T-create-current-task',
    source: 'contract Agent fleet_metadata; seed 001 create_agent',
    text: 'The answer to create_agent has fleet_mcp_current_task.',
  },
  {
    id: 'AGENT-spec-told',
    source: 'contract Agent spec; contract create_agent',
    text: 'Only a spec that was given is told to the agent; a spec without a task is the first task as well.',
  },
  {
    id: 'AGENT-spec-default',
    source: 'contract create_agent spec',
    text: 'The spec of an agent created without one is its task.',
  },
  {
    id: 'AGENT-spec-adopted',
    source: 'contract Agent spec',
    text: 'The spec of an adopted workspace is null.',
  },
  {
    id: 'AGENT-last-task',
    source: 'contract Agent last_task; seed 001; seed 003',
    text: 'last_task is the message of the newest task or report, and null when there is none.',
  },
  {
    id: 'AGENT-attention-question',
    source: 'contract Agent needs_attention',
    text: 'An open permission or question sets needs_attention, and its answer clears it.',
  },
  {
    id: 'AGENT-attention-checks',
    source: 'contract Agent needs_attention',
    text: 'An agent that says it is done while the checks of its spec fail has needs_attention.',
  },
  {
    id: 'AGENT-attention-next-task',
    source: 'contract Agent needs_attention',
    text: 'The next accepted task clears needs_attention.',
  },
  {
    id: 'AGENT-status-reason',
    source: 'contract Agent status_reason',
    text: 'status_reason is one sentence with the evidence for the status, in every status.',
  },
  {
    id: 'AGENT-busy-since',
    source: 'contract Agent busy_since',
    text: 'busy_since is the time since when the agent is busy and null while it is not.',
  },
  {
    id: 'AGENT-stuck-progress',
    source: 'contract Agent stuck',
    text: 'Output of the agent counts as progress and keeps it from being stuck.',
  },
  {
    id: 'AGENT-stuck-awake-time',
    source: 'contract Agent stuck',
    text: 'The time to stuck is counted in time that the machine was awake.',
  },
  {
    id: 'AGENT-pull-request-values',
    source: 'contract Agent pull_request',
    text: 'pull_request.status is open, draft, merged or closed and check_status passing, failing, pending or none.',
  },
  {
    id: 'AGENT-updated-at',
    source: 'contract Agent updated_at',
    text: 'updated_at moves with a change of status, task or metadata and with nothing else.',
  },
  {
    id: 'AGENT-metadata-collected-at',
    source: 'contract Agent metadata_collected_at',
    text: 'metadata_collected_at says when the shown metadata was collected.',
  },
  {
    id: 'AGENT-fleet-metadata-coder',
    source: 'contract Agent fleet_metadata; seed 002 FR-021',
    text: 'On Coder fleet_metadata also holds what the template publishes with the prefix as agent metadata, coder_metadata or parameters.',
  },
  {
    id: 'AGENT-git',
    source: 'contract Agent git',
    text: 'git shows branch, base, ahead, behind, changed_files, insertions, deletions, dirty and last_commit as git itself reports them with the time of the look as as_of, and is null without a workspace.',
  },
  {
    id: 'AGENT-git-running',
    source: 'contract Agent git',
    text: 'git of an agent with a running task is read again by show_agent and counts untracked files.',
  },
  {
    id: 'AGENT-queue-length',
    source: 'contract Agent queue_length',
    text: 'queue_length is the number of tasks that are accepted and not begun.',
  },
  {
    id: 'AGENT-created-by',
    source: 'contract Agent created_by; contract Words principal',
    text: 'created_by names the principal that created the agent.',
  },
  {
    id: 'AGENT-cost-tokens',
    source: 'contract Agent cost, tokens',
    text: 'cost and tokens show what the model behind the agent has used.',
  },
  {
    id: 'AGENT-no-prompts',
    source: 'contract Agent list view; seed 001 show_agent metadata',
    text: 'Neither ai_prompt nor system_prompt of an agent is shown anywhere.',
  },
  {
    id: 'AGENT-list-cut',
    source: 'contract Agent list view',
    text: 'Texts in a list are cut at 160 characters, and show_agent has them whole.',
  },
  {
    id: 'AGENT-list-leaves-out',
    source: 'contract Agent list view',
    text: 'A list leaves out spec and fleet_metadata, which show_agent has.',
  },
  {
    id: 'AGENT-list-coder-copy',
    source: 'contract Agent list view',
    text: 'A list on Coder takes metadata, git, pull request and queue from the copy last seen and fetches none of them one by one.',
  },
  {
    id: 'AGENT-restart-environment',
    source: 'contract frozen at creation',
    text: 'restart_agent takes the environment of the agent anew.',
  },
  {
    id: 'AGENT-principal-recorded',
    source: 'contract Words principal',
    text: 'Every recorded fact carries the principal and the interface it came through.',
  },
  {
    id: 'ST-look-again',
    source: 'contract Status',
    text: 'The status function also says when to look again if time alone can change its answer.',
  },
  {
    id: 'ST-pending',
    source: 'contract Status table',
    text: 'An agent that is accepted and waits for its turn to start is pending, with its place in the queue in status_reason.',
  },
  {
    id: 'ST-starting',
    source: 'contract Status table',
    text: 'An agent is starting while its workspace is made, its set-up runs or its program is not ready.',
  },
  {
    id: 'ST-asleep',
    source: 'contract Status table',
    text: 'A sleeping agent is idle with the reason asleep, has no process, and its next task wakes it.',
  },
  {
    id: 'ST-coder-build',
    source: 'contract Status table; seed 000 Metadata mapping',
    text: 'On Coder pending, starting, stopping, stopped, failed, canceling, canceled, deleting and deleted follow the build of the workspace.',
  },
  {
    id: 'ST-coder-starting',
    source: 'contract Status table',
    text: 'A running workspace whose agent is not ready yet is starting, and one that was ready and has been disconnected for 60 s is failed.',
  },
  {
    id: 'ST-pending-counts-busy',
    source: 'contract Status offline',
    text: 'pending and starting count as busy for when_busy, CONFLICT and waiting.',
  },
  {
    id: 'ST-nothing-left-behind',
    source: 'contract Status bad input',
    text: 'Bad input to create_agent is found before anything is made, so that no agent, workspace, branch or file is left behind.',
  },
  {
    id: 'ST-agent-not-installed',
    source: 'contract Status bad input',
    text: 'create_agent for a role whose program is missing is SERVICE_UNAVAILABLE with details.reason agent_not_installed and leaves nothing behind.',
  },
  {
    id: 'ST-agent-not-installed-command',
    source: 'contract Status bad input',
    text: 'agent_not_installed for a coding agent names the fleet agents install command to type.',
  },
  {
    id: 'MD-meta-key',
    source: 'contract Taskfile metadata',
    text: 'Only tasks of Taskfile.yml that carry a meta key are metadata fields, each with the desc of its task as description.',
  },
  {
    id: 'MD-meta-wrong',
    source: 'contract Taskfile metadata',
    text: 'A missing or wrong include_in_list counts as false, and the field says so in its error.',
  },
  {
    id: 'MD-allowed',
    source: 'contract Taskfile metadata',
    text: 'Fields are run for agents that may run commands without asking, and for others when their role says metadata: true; every other field has an error that begins with not run.',
  },
  {
    id: 'MD-sandbox',
    source: 'contract Taskfile metadata',
    text: 'A field runs in the sandbox of its agent.',
  },
  {
    id: 'MD-trim',
    source: 'contract Taskfile metadata',
    text: 'A value is the trimmed stdout of its task, and empty output is null.',
  },
  {
    id: 'MD-limit',
    source: 'contract Taskfile metadata',
    text: 'Fields run side by side, and one that takes over 5 s is killed with its children and has value null and an error.',
  },
  {
    id: 'MD-no-wake',
    source: 'contract Taskfile metadata',
    text: 'A look at a sleeping or stopped agent shows stored values and wakes nothing.',
  },
  {
    id: 'MD-not-collected',
    source: 'contract Taskfile metadata',
    text: 'A field that was never collected is null with the error not collected yet.',
  },
  {
    id: 'MD-size-limits',
    source: 'contract Taskfile metadata',
    text: 'Keys over 256 characters, values over 4 KiB and more than 1 MiB for an agent are cut off with an error on the field.',
  },
];
