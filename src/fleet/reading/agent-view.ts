import type { AgentDetails, AgentRecord } from '../../backends/backend.ts';
import type { AgentListView, AgentView } from '../../domain/agent.ts';
import { METADATA_PREFIX } from '../../domain/metadata/metadata.ts';
import type { ChecksState } from '../../domain/review/checks-state.ts';
import { deriveStatus, type Instant, type StatusView } from '../../domain/status.ts';
import { briefEnd } from '../../domain/task-result.ts';
import { cut, cutOrNull, LIST_TEXT_LIMIT } from '../../domain/values/text.ts';

/** An agent as a list shows it, with the time at which it should be looked at again. */
export function listView(
  agent: AgentRecord,
  now: Instant,
): { view: AgentListView; look_again_at: number | null } {
  const derived = deriveStatus(agent.state, agent.observed, now);
  return {
    view: {
      ...shared(agent, derived),
      current_task: cutOrNull(derived.current_task, LIST_TEXT_LIMIT),
      last_task: cutOrNull(agent.state.last_task, LIST_TEXT_LIMIT),
      last_result: briefEnd(agent.state.last_end)?.result ?? null,
      status_reason: cut(derived.status_reason, LIST_TEXT_LIMIT),
      attention_reason: cutOrNull(derived.attention_reason, LIST_TEXT_LIMIT),
      metadata: agent.listed.values,
    },
    look_again_at: derived.look_again_at,
  };
}

export function showView(agent: AgentDetails, now: Instant): AgentView {
  const derived = deriveStatus(agent.state, agent.observed, now);
  const task = derived.current_task ?? firstTask(agent, derived);
  const own = {
    agent_name: agent.name,
    role: agent.role,
    project: agent.project,
    ...(agent.spec === null ? {} : { agent_spec: agent.spec }),
    ...(task === null ? {} : { current_task: task }),
  };
  const core = Object.fromEntries(Object.entries(own).map(([key, value]) => [METADATA_PREFIX + key, value]));
  const reason = agent.problem === undefined ? '' : `; ${agent.problem}`;
  return {
    ...shared(agent, { ...derived, status_reason: `${derived.status_reason}${reason}` }),
    spec: agent.spec,
    metadata: agent.fields,
    fleet_metadata: { ...agent.metadata, ...core },
    refused_writes: [...(agent.refused_writes ?? [])],
  };
}

/** The only task of an agent that is not ready yet. */
function firstTask({ state }: AgentRecord, { status }: StatusView): string | null {
  const starts = status === 'pending' || status === 'starting';
  return starts && state.queue.length === 1 ? state.last_task : null;
}

function shared(agent: AgentRecord, derived: StatusView) {
  const { look_again_at: _, ...status } = derived;
  return {
    name: agent.name,
    workspace_id: agent.workspace_id,
    ...status,
    role: agent.role,
    project: agent.project,
    last_task: agent.state.last_task,
    last_task_state: agent.state.last_end?.state ?? null,
    last_result: agent.state.last_end?.result ?? null,
    created_at: agent.created_at,
    updated_at: [
      agent.created_at,
      agent.state.updated_at,
      agent.listed.changed_at ?? '',
      agent.heard_at ?? '',
    ].reduce(later),
    metadata_count: agent.listed.count,
    metadata_collected_at: agent.listed.collected_at,
    // A runner of an older version does not say when it looked.
    git: agent.git === null ? null : { ...agent.git, as_of: agent.git.as_of ?? null },
    checks: checksView(agent.state.checks),
    pull_request: agent.pull_request,
    queue_length: agent.state.queue.length,
    cost: agent.state.usage?.cost ?? null,
    tokens: agent.state.usage?.tokens ?? null,
    created_by: agent.created_by,
  };
}

function checksView(checks: ChecksState | null): AgentView['checks'] {
  return checks === null ? null : { commit: checks.commit, state: checks.state, failed: [...checks.failed] };
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
