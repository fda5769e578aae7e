import type { AgentListView } from '../../domain/agent.ts';
import { matchesPullRequest } from '../../domain/metadata/pull-request.ts';
import type { AgentStatus } from '../../domain/status.ts';
import { byName } from '../../domain/values/agent-name.ts';
import type { FleetContext } from '../context/fleet-context.ts';
import { sameText } from '../context/lookup.ts';
import { listView } from './agent-view.ts';
import { knownRecords } from './known-records.ts';

export interface AgentFilter {
  readonly status_filter?: AgentStatus | undefined;
  readonly project_filter?: string | undefined;
  readonly pull_request_filter?: string | number | undefined;
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

export interface AgentList {
  readonly agents: AgentListView[];
  readonly total_count: number;
  readonly unavailable?: { backend: string; message: string }[];
}

export async function listAgents(context: FleetContext, filter: AgentFilter): Promise<AgentList> {
  const { records, unavailable } = await knownRecords(context);
  const now = context.clock.now();
  const agents = records
    .map((record) => listView(record, now).view)
    .filter((agent) => matches(agent, filter))
    .toSorted(byName);
  const paged = filter.page !== undefined || filter.page_size !== undefined;
  const size = filter.page_size ?? 20;
  const start = ((filter.page ?? 1) - 1) * size;
  return {
    agents: paged ? agents.slice(start, start + size) : agents,
    total_count: agents.length,
    ...(unavailable.length > 0 ? { unavailable } : {}),
  };
}

function matches(
  { status, project, pull_request }: AgentListView,
  { status_filter, project_filter, pull_request_filter }: AgentFilter,
): boolean {
  return (
    (status_filter === undefined || status === status_filter) &&
    (project_filter === undefined || sameText(project, project_filter)) &&
    (pull_request_filter === undefined ||
      (pull_request !== null && matchesPullRequest(pull_request, String(pull_request_filter))))
  );
}
