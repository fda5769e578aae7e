import type { GitFacts } from '../domain/agent.ts';
import type { PullRequest } from '../domain/metadata/pull-request.ts';
import { stateOf, type AgentState } from '../domain/state.ts';
import type { Instant } from '../domain/status.ts';
import { NO_FIELDS, type ListedFields } from '../domain/metadata/taskfile-metadata.ts';

/** What the runner of an agent published last, whichever backend it belongs to. */
export interface AgentSummary {
  readonly state: AgentState;
  readonly progress: Instant | null;
  readonly git: GitFacts | null;
  readonly pull_request: PullRequest | null;
  readonly listed: ListedFields;
}

/** From the columns of the table `summaries`; null for an agent that is not in it. */
export function agentSummary(row: Readonly<Record<string, unknown>>): AgentSummary | null {
  if (typeof row['state'] !== 'string') return null;
  return {
    state: stateOf(JSON.parse(row['state']) as Partial<AgentState>),
    progress: ownJson<Instant>(row['progress']),
    git: ownJson<GitFacts>(row['git']),
    pull_request: ownJson<PullRequest>(row['pull_request']),
    listed: ownJson<ListedFields>(row['listed']) ?? NO_FIELDS,
  };
}

/** A column that only Fleet itself writes. */
export function ownJson<Value>(text: unknown): Value | null {
  return typeof text === 'string' ? (JSON.parse(text) as Value) : null;
}
