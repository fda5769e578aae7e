import type { ErrorCode } from '../../src/domain/errors.ts';

export interface OperationNotes {
  /** The friendly form on the command line. */
  readonly command: string;
  /** What can go wrong beside the errors that every operation has. */
  readonly errors: readonly (readonly [code: ErrorCode, when: string])[];
}

const NO_AGENT = ['NOT_FOUND', 'there is no such agent'] as const;
const BEING_DELETED = ['CONFLICT', 'it is being deleted (`agent_deleting`)'] as const;
const NOT_TRUSTED = ['FORBIDDEN', 'the configuration is not trusted (`config_not_trusted`)'] as const;
const NO_RUNNER = [
  'SERVICE_UNAVAILABLE',
  'its runner cannot be reached or started (`runner_unreachable`, `runner_silent`, `runner_not_started`)',
] as const;

/** What the table of operations does not say. */
export const OPERATION_NOTES: Readonly<Record<string, OperationNotes>> = {
  list_agents: { command: 'fleet list', errors: [] },
  show_agent: { command: 'fleet show', errors: [NO_AGENT] },
  list_agent_projects: {
    command: 'fleet projects',
    errors: [['INVALID_INPUT', 'the configuration has a mistake; the message says where']],
  },
  list_agent_roles: {
    command: 'fleet roles',
    errors: [['NOT_FOUND', 'there is no such project; `details.projects` lists those there are']],
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
        'there is no such project or role; `details.projects` or `details.roles` lists those there are',
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
      ['CONFLICT', 'it was answered, or nobody waits any more (`answered_already`)'],
      ['FORBIDDEN', 'the caller has no scope `approve`, or made the call itself (`asked_by_you`)'],
      ['INVALID_INPUT', 'an option that it does not offer, or that means the other decision'],
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
  show_agent_log: { command: 'fleet log', errors: [NO_AGENT] },
  wait_for_agents: { command: 'fleet wait', errors: [['NOT_FOUND', 'one of the names is no agent']] },
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
    errors: [['FORBIDDEN', 'the caller is no agent, or means another one']],
  },
};
