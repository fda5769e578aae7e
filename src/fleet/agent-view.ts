import type { AgentDetails, AgentRecord } from '../backends/backend.ts';
import {
  CHECK_STATUSES,
  PULL_REQUEST_STATUSES,
  type AgentListView,
  type AgentView,
} from '../domain/agent.ts';
import {
  METADATA_PREFIX,
  PULL_REQUEST_CHECK_KEY,
  PULL_REQUEST_STATUS_KEY,
  PULL_REQUEST_URL_KEY,
} from '../domain/metadata.ts';
import { deriveStatus, type Instant, type StatusView } from '../domain/status.ts';
import { cut, cutOrNull, LIST_TEXT_LIMIT } from '../domain/text.ts';

/** An agent as a list shows it, with the time at which it should be looked at again. */
export function listView(
  agent: AgentRecord,
  now: Instant,
): { view: AgentListView; look_again_at: number | null } {
  const derived = deriveStatus(agent.state, agent.observed, now);
  const url = agent.pull_request_url;
  return {
    view: {
      ...shared(agent, derived),
      current_task: cutOrNull(derived.current_task, LIST_TEXT_LIMIT),
      last_task: cutOrNull(agent.state.last_task, LIST_TEXT_LIMIT),
      status_reason: cut(derived.status_reason, LIST_TEXT_LIMIT),
      pull_request: url === null ? null : { url, status: null, check_status: null, error: null },
      metadata: {},
    },
    look_again_at: derived.look_again_at,
  };
}

export function showView(agent: AgentDetails, now: Instant): AgentView {
  const derived = deriveStatus(agent.state, agent.observed, now);
  const own = {
    agent_name: agent.name,
    role: agent.role,
    project: agent.project,
    ...(agent.spec === null ? {} : { agent_spec: agent.spec }),
    ...(derived.current_task === null ? {} : { current_task: derived.current_task }),
  };
  const core = Object.fromEntries(Object.entries(own).map(([key, value]) => [METADATA_PREFIX + key, value]));
  return {
    ...shared(agent, derived),
    spec: agent.spec,
    pull_request: pullRequest(agent.metadata),
    metadata: {},
    fleet_metadata: { ...agent.metadata, ...core },
  };
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
    created_at: agent.created_at,
    updated_at: agent.state.updated_at > agent.created_at ? agent.state.updated_at : agent.created_at,
    metadata_count: 0,
    metadata_collected_at: null,
    git: agent.git,
    queue_length: agent.state.queue.length,
    cost: null,
    tokens: null,
    created_by: agent.created_by,
  };
}

function pullRequest(metadata: Readonly<Record<string, string>>): AgentView['pull_request'] {
  const url = metadata[PULL_REQUEST_URL_KEY];
  if (url === undefined) return null;
  return {
    url,
    status: oneOf(PULL_REQUEST_STATUSES, metadata[PULL_REQUEST_STATUS_KEY]),
    check_status: oneOf(CHECK_STATUSES, metadata[PULL_REQUEST_CHECK_KEY]),
    error: null,
  };
}

function oneOf<const Values extends readonly string[]>(
  values: Values,
  value: string | undefined,
): Values[number] | null {
  return values.find((known) => known === value) ?? null;
}
