import type { ErrorCode } from '../../src/domain/values/errors.ts';

export interface OperationNotes {
  /** The friendly form on the command line. */
  readonly command: string;
  /** What can go wrong beside the errors that every operation has. */
  readonly errors: readonly (readonly [code: ErrorCode, when: string])[];
}

const NO_AGENT = ['NOT_FOUND', 'there is no such agent'] as const;
const BEING_DELETED = ['CONFLICT', 'it is being deleted (`agent_deleting`)'] as const;
const NOT_TRUSTED = ['FORBIDDEN', 'the configuration is not trusted (`config_not_trusted`)'] as const;
const NOT_FOR_AGENTS = ['FORBIDDEN', 'an agent asks (`not_for_agents`)'] as const;
const NO_RUNNER = [
  'SERVICE_UNAVAILABLE',
  'its runner cannot be reached or started (`runner_unreachable`, `runner_silent`, `runner_not_started`)',
] as const;

const IN_WORKSPACE = [
  [
    'INVALID_INPUT',
    'the agent is on Coder, and offline (`agent_offline`), without a repository (`no_repository`) or without a runner of Fleet (`no_runner`)',
  ],
  [
    'SERVICE_UNAVAILABLE',
    'the runner in its Coder workspace is of an older version (`runner_api`) or cannot be reached (`runner_unreachable`)',
  ],
] as const;
const GIT_FAILED = [
  'SERVICE_UNAVAILABLE',
  'git is older than 2.39 (`git_too_old`), or failed (`merge_failed`)',
] as const;

/** `land_agents` reports most of these as the reason of one result. */
const LAND_ERRORS: OperationNotes['errors'] = [
  NO_AGENT,
  [
    'INVALID_INPUT',
    'the repository is not on this machine (`not_local`), or it has no branch of the name `into`',
  ],
  [
    'CONFLICT',
    'the work does not merge (`conflicts`, with `details.paths`; `no_common_commit`), or a check fails on the merged files (`checks_failed`, with `details.checks` and `details.outputs`)',
  ],
  [
    'CONFLICT',
    'the agent has uncommitted work (`uncommitted`), is working (`busy`), has other commits than those that were reviewed (`head_moved`), has nothing to land (`nothing_to_land`), or has no workspace (`no_workspace`)',
  ],
  [
    'CONFLICT',
    'the branch moved meanwhile (`target_moved`), git is in the middle of something with it (`target_busy`), its checkout has changes in the same files (`target_dirty`) or needs a filter or a submodule (`needs_checkout`), or no remote has the commit of a submodule (`submodule_not_published`)',
  ],
  GIT_FAILED,
  [
    'SERVICE_UNAVAILABLE',
    "the agent's repository cannot be read (`workspace_unreadable`), the checks cannot run (`commit_missing`, `containment_lost`), or the process that landed it died (`interrupted`)",
  ],
];

/** What the table of operations does not say. */
export const OPERATION_NOTES: Readonly<Record<string, OperationNotes>> = {
  list_agents: {
    command: 'fleet list',
    errors: [['SERVICE_UNAVAILABLE', 'no backend that has projects or agents answers, or accepts the token']],
  },
  show_agent: { command: 'fleet show', errors: [NO_AGENT] },
  show_agent_diff: {
    command: 'fleet diff',
    errors: [
      NO_AGENT,
      ['NOT_FOUND', 'the task has not ended, so that it has no checkpoint (`no_checkpoint`)'],
      ['INVALID_INPUT', 'there is no such checkpoint'],
      ...IN_WORKSPACE,
      ['CONFLICT', 'it has no workspace yet (`no_workspace`)'],
      ['SERVICE_UNAVAILABLE', 'its repository cannot be read (`workspace_unreadable`, `diff_unreadable`)'],
    ],
  },
  show_agent_checks: {
    command: 'fleet call show_agent_checks',
    errors: [NO_AGENT, ['INVALID_INPUT', 'it has no checks (`no_checks`)'], ...IN_WORKSPACE],
  },
  check_agent: {
    command: 'fleet check',
    errors: [
      NO_AGENT,
      [
        'INVALID_INPUT',
        'it has no checks (`no_checks`) or none of that name, or is offline (`agent_offline`)',
      ],
      ...IN_WORKSPACE,
      [
        'FORBIDDEN',
        'an agent asks, and the role of the other may not run commands without asking (`only_operator`)',
      ],
      NO_RUNNER,
      [
        'SERVICE_UNAVAILABLE',
        'its commit has not arrived (`commit_missing`), or there is no sandbox any more (`containment_lost`)',
      ],
    ],
  },
  list_checkpoints: { command: 'fleet checkpoints', errors: [NO_AGENT, ...IN_WORKSPACE] },
  fork_agent: {
    command: 'fleet fork',
    errors: [
      NO_AGENT,
      ['NOT_FOUND', 'there is no such role'],
      [
        'INVALID_INPUT',
        'it has no checkpoint of that number (`no_checkpoint`), its workspace on Coder has no remote (`no_remote`), or a bad name',
      ],
      ...IN_WORKSPACE,
      [
        'CONFLICT',
        'it has no checkpoint yet (`no_checkpoint`), the name is taken (`name_taken`), the remote of its workspace on Coder has a branch of that name (`not_fast_forward`), the idempotency key was used with another input',
      ],
      ['FORBIDDEN', 'the remote does not accept the login of its workspace on Coder (`push_not_allowed`)'],
      NOT_TRUSTED,
      ['SERVICE_UNAVAILABLE', 'the program of the role is not there (`agent_not_installed`)'],
    ],
  },
  list_review_comments: { command: 'fleet review NAME --list', errors: [NO_AGENT, ...IN_WORKSPACE] },
  add_review_comment: {
    command: 'fleet review',
    errors: [
      NO_AGENT,
      ['INVALID_INPUT', 'the agent has not changed that file, or the draft has 500 comments already'],
      ...IN_WORKSPACE,
    ],
  },
  remove_review_comment: {
    command: 'fleet review NAME --remove',
    errors: [NO_AGENT, ['NOT_FOUND', 'there is no such comment']],
  },
  send_review: {
    command: 'fleet review NAME --send',
    errors: [
      NO_AGENT,
      [
        'INVALID_INPUT',
        'there is neither a comment nor a message, or the agent is offline (`agent_offline`)',
      ],
      [
        'CONFLICT',
        'the agent is busy and `when_busy` is `reject` (`agent_busy`), its queue is full (`queue_full`), the idempotency key was used with another input',
      ],
      NO_RUNNER,
    ],
  },
  update_agent: {
    command: 'fleet update',
    errors: [
      NO_AGENT,
      [
        'INVALID_INPUT',
        'its repository no longer has the base of the agent (`no_base`), or the agent is offline (`agent_offline`)',
      ],
      ...IN_WORKSPACE,
      [
        'CONFLICT',
        'the base conflicts with its work (`conflicts`, with `details.paths`, and `details.task_id` after `assign_to_agent`), has no commit in common with it (`no_common_commit`) or reverts it (`base_reverts`), the agent is working (`busy`), has uncommitted work (`uncommitted`), or has another branch checked out (`head_moved`)',
      ],
      GIT_FAILED,
      NO_RUNNER,
    ],
  },
  land_agent: { command: 'fleet land', errors: [NOT_FOR_AGENTS, ...LAND_ERRORS] },
  land_agents: {
    command: 'fleet land',
    errors: [
      NOT_FOR_AGENTS,
      ['NOT_FOUND', 'one of the names is not an agent'],
      [
        'INVALID_INPUT',
        'a name is given twice, or the repository of an agent is not on this machine (`not_local`)',
      ],
    ],
  },
  undo_land: {
    command: 'fleet land --undo',
    errors: [
      NOT_FOR_AGENTS,
      ['NOT_FOUND', 'there is no such landing'],
      [
        'CONFLICT',
        'the landing failed, or is no longer on the branch (`target_moved`); later commits changed the same lines (`conflicts`, with `details.paths`)',
      ],
      [
        'CONFLICT',
        'git is in the middle of something with the branch (`target_busy`), or its checkout has changes in the same files (`target_dirty`) or needs a filter or a submodule (`needs_checkout`)',
      ],
      GIT_FAILED,
    ],
  },
  publish_agent: {
    command: 'fleet publish',
    errors: [
      NOT_FOR_AGENTS,
      NO_AGENT,
      [
        'INVALID_INPUT',
        'its repository has no remote (`no_remote`); the remote is not at a configured forge (`no_forge`), has no token (`no_token`), or has no branch of the name of the base (`no_base`)',
      ],
      ...IN_WORKSPACE,
      [
        'CONFLICT',
        'the agent is working (`busy`), has no commits (`nothing_to_publish`) or no workspace (`no_workspace`), or changes workflows of continuous integration (`workflows_changed`, with `details.paths`), or has files of Git LFS while git-lfs is not installed (`needs_lfs`)',
      ],
      [
        'CONFLICT',
        'the branch at the remote has commits of others (`not_fast_forward`) or is protected (`protected`), the remote refuses it for another reason (`rejected`), the forge refuses the pull request (`forge_refused`), or no remote has the commit of a submodule (`submodule_not_published`)',
      ],
      [
        'FORBIDDEN',
        'the remote does not accept the login of git (`push_not_allowed`), or the forge does not accept the token (`forge_not_allowed`)',
      ],
      [
        'SERVICE_UNAVAILABLE',
        "the remote or the forge cannot be reached (`remote_unreachable`, `forge_unavailable`), the agent's repository cannot be read (`workspace_unreadable`), or git is older than 2.39 (`git_too_old`)",
      ],
    ],
  },
  list_conflicts: {
    command: 'fleet conflicts',
    errors: [['NOT_FOUND', 'there is no such project or agent'], GIT_FAILED],
  },
  start_forecast: {
    command: 'fleet forecast',
    errors: [['NOT_FOUND', 'there is no such project or agent'], GIT_FAILED],
  },
  show_forecast: {
    command: 'fleet forecast --last',
    errors: [['NOT_FOUND', 'there is no such project, or it has no forecast yet (`no_forecast`)']],
  },
  race_agents: {
    command: 'fleet race',
    errors: [
      ['NOT_FOUND', 'there is no such project or role'],
      ['INVALID_INPUT', 'neither a task nor a spec, or a malformed spec'],
      ['CONFLICT', 'the idempotency key was used with another input'],
      NOT_TRUSTED,
      [
        'SERVICE_UNAVAILABLE',
        'the program of a role is not there (`agent_not_installed`). Agents that were created before it stay',
      ],
    ],
  },
  compare_agents: {
    command: 'fleet compare',
    errors: [
      ['NOT_FOUND', 'one of the names is not an agent'],
      ['INVALID_INPUT', 'only one name'],
    ],
  },
  list_agent_projects: {
    command: 'fleet projects',
    errors: [['INVALID_INPUT', 'the configuration has a mistake; the message says where']],
  },
  list_agent_roles: {
    command: 'fleet roles',
    errors: [['NOT_FOUND', 'there is no such project; `details.projects` lists the existing ones']],
  },
  create_agent: {
    command: 'fleet create',
    errors: [
      [
        'INVALID_INPUT',
        'a bad name, an empty task, a malformed spec, a base or branch that is not there, a repository that cannot be used (`bad_repository`)',
      ],
      [
        'NOT_FOUND',
        'there is no such project or role; `details.projects` or `details.roles` lists the existing ones',
      ],
      [
        'CONFLICT',
        'the name is taken (`name_taken`), the branch is checked out elsewhere (`branch_in_use`), the idempotency key was used with another input',
      ],
      NOT_TRUSTED,
      [
        'SERVICE_UNAVAILABLE',
        'the program of the role is not there (`agent_not_installed`). Nothing was made',
      ],
    ],
  },
  list_approvals: { command: 'fleet approvals', errors: [NO_AGENT] },
  respond_approval: {
    command: 'fleet approve',
    errors: [
      ['NOT_FOUND', 'there is no such question'],
      ['CONFLICT', 'it was answered, or it is no longer needed (`answered_already`)'],
      ['FORBIDDEN', 'the caller has no scope `approve`, or made the call itself (`asked_by_you`)'],
      [
        'INVALID_INPUT',
        'an option that it does not offer, or that means the other decision; an answer that does not fit the form of a question',
      ],
    ],
  },
  delete_agent: {
    command: 'fleet delete',
    errors: [
      NO_AGENT,
      [
        'SERVICE_UNAVAILABLE',
        'its work could not be kept (`work_not_kept`): it stays, stopped, unless `discard_work` is true; or its runner came back meanwhile (`runner_unreachable`)',
      ],
    ],
  },
  restart_agent: { command: 'fleet restart', errors: [NO_AGENT, BEING_DELETED, NOT_TRUSTED, NO_RUNNER] },
  stop_agent: { command: 'fleet stop', errors: [NO_AGENT, BEING_DELETED, NO_RUNNER] },
  start_agent_task: {
    command: 'fleet task',
    errors: [
      ['INVALID_INPUT', 'the agent is offline (`agent_offline`), or the text is empty'],
      NO_AGENT,
      [
        'CONFLICT',
        'the agent is busy and `when_busy` is `reject` (`agent_busy`), its queue is full (`queue_full`), the idempotency key was used with another input',
      ],
      ['FORBIDDEN', 'an agent asks for itself with another `when_busy` than `queue`'],
      NO_RUNNER,
    ],
  },
  cancel_agent_task: {
    command: 'fleet cancel',
    errors: [
      ['INVALID_INPUT', 'nothing runs, or the task is neither running nor queued (`nothing_to_cancel`)'],
      NO_AGENT,
      NO_RUNNER,
    ],
  },
  show_agent_task_history: { command: 'fleet history', errors: [NO_AGENT] },
  show_agent_log: {
    command: 'fleet log',
    errors: [NO_AGENT, ['INVALID_INPUT', '`search` is empty or has a NUL character']],
  },
  show_agent_timeline: {
    command: 'fleet why',
    errors: [NO_AGENT, ['INVALID_INPUT', 'the agent did not exist at the time `at`']],
  },
  show_doctor: {
    command: 'fleet doctor',
    errors: [
      ['SERVICE_UNAVAILABLE', 'an agent that runs a team asks: the checks are for the terminal and the page'],
    ],
  },
  list_browser_sessions: { command: 'fleet open --list', errors: [] },
  end_browser_session: {
    command: 'fleet open --end',
    errors: [['NOT_FOUND', 'there is no such session']],
  },
  list_tokens: { command: 'fleet token list', errors: [] },
  revoke_token: { command: 'fleet token revoke', errors: [['NOT_FOUND', 'there is no such token']] },
  show_agent_conversation: { command: 'fleet call show_agent_conversation', errors: [NO_AGENT] },
  wait_for_agents: { command: 'fleet wait', errors: [['NOT_FOUND', 'one of the names is not an agent']] },
  set_agent_metadata: {
    command: 'fleet meta',
    errors: [
      ['INVALID_INPUT', 'a key without the prefix or that the fleet keeps itself, a value over 4096 bytes'],
      NO_AGENT,
      NO_RUNNER,
    ],
  },
  acknowledge_agent: { command: 'fleet ack', errors: [NO_AGENT, NO_RUNNER] },
  report_task: {
    command: 'fleet report',
    errors: [['FORBIDDEN', 'the caller is not an agent, or names another agent']],
  },
  list_tool_agents: { command: 'fleet tools', errors: [] },
  list_kept: {
    command: 'fleet kept',
    errors: [['INVALID_INPUT', 'the configuration has a mistake; the message says where']],
  },
  restore_agent: {
    command: 'fleet kept restore',
    errors: [
      ['NOT_FOUND', 'nothing is kept of an agent with that workspace id'],
      [
        'CONFLICT',
        'the name is taken (`name_taken`); its workspace no longer exists (`workspace_gone`) or was a git worktree of an older version (`made_by_older_version`); it is being deleted or restored (`agent_deleting`)',
      ],
    ],
  },
};
