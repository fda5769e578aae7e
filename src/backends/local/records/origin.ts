import type { FactBody } from '../../../domain/fact.ts';
import type { Launch } from '../../../domain/launch.ts';
import { PULL_REQUEST_URL_KEY } from '../../../domain/metadata/metadata.ts';
import type { Actor, Source } from '../../../domain/principal.ts';
import { pullRequestOf, type PullRequest } from '../../../domain/metadata/pull-request.ts';
import { EMPTY_STATE, fold, type AgentState } from '../../../domain/state.ts';
import type { HistoryRow } from '../../../domain/task.ts';
import type { WorkspacePlan } from './workspace-plan.ts';

/** All that an agent was made with: accepted in the store, copied into its journal by its first runner. */
export interface Origin {
  readonly created_at: string;
  readonly created_by: Actor;
  readonly launch: Launch;
  readonly plan: WorkspacePlan;
  readonly first_task: { readonly id: string; readonly message: string; readonly source: Source };
  readonly pull_request_url: string | null;
  readonly max_starting: number;
  /** Bytes; agents that an older Fleet made have none of their own. */
  readonly memory_reserve?: number;
  /** The key that the agent's runner asks its callers for. */
  readonly key: string;
}

/** The first facts of a journal. */
export function creationFacts({ launch, first_task, pull_request_url }: Origin): readonly FactBody[] {
  const facts: FactBody[] = [
    {
      kind: 'agent.created',
      name: launch.name,
      project: launch.project,
      role: launch.role,
      stuck_after_ms: launch.stuck_after_ms,
    },
    {
      kind: 'task.accepted',
      task_id: first_task.id,
      message: first_task.message,
      source: first_task.source,
      front: false,
    },
  ];
  if (pull_request_url !== null)
    facts.push({ kind: 'metadata.set', key: PULL_REQUEST_URL_KEY, value: pull_request_url });
  return facts;
}

/** The pull request that was named when the agent was made. */
export function pullRequestBeforeJournal({ pull_request_url: url }: Origin): PullRequest | null {
  return url === null ? null : pullRequestOf({ [PULL_REQUEST_URL_KEY]: url });
}

/** What an agent is before its journal is made. Sequence 0 says that none of it is published. */
export function stateBeforeJournal(origin: Origin): AgentState {
  const stamp = { at: origin.created_at, awake_ms: 0, boot: '', by: origin.created_by };
  const state = creationFacts(origin).reduce(
    (before, body) => fold(before, { ...stamp, seq: 0, body }),
    EMPTY_STATE,
  );
  return state;
}

/** The first task as the history shows it before there is a journal. */
export function firstTaskOf({ first_task, created_at }: Origin): HistoryRow {
  return {
    ...first_task,
    kind: 'task',
    uri: null,
    needs_user_attention: false,
    created_at,
    state: 'queued',
    started_at: null,
    finished_at: null,
    result: null,
    tokens: null,
    cost: null,
  };
}
